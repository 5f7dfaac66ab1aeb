/**
 * Runs targets of Nx for all projects, or for those that a change affects. For unchanged inputs Nx returns cached results, test reports
 * included.
 */
import { execFile } from 'node:child_process';
import { readFile, realpath, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { run, type Outcome } from './step.ts';

/** Nx prints only failures, does not prompt, and starts no daemon. */
const QUIET = ['--outputStyle=static-failures-only'];
const ENV = { NX_TUI: 'false', NX_DAEMON: 'false', NX_NO_CLOUD: 'true' };

/** The fields that are read of the record that Nx writes of its last run. */
const RUN_FILE = '.nx/cache/run.json';
const runSchema = z.object({
  tasks: z.array(z.object({ taskId: z.string(), target: z.string(), hash: z.string(), status: z.number() })),
});

const TAIL_LINES = 25;

/**
 * Runs the targets in parallel, each for all projects that have it, or with `base` for those that differ from that revision of git. A
 * target passes if no project fails.
 */
export async function runTargets(targets: readonly string[], root: string, base?: string): Promise<Outcome[]> {
  await rm(join(root, RUN_FILE), { force: true });
  const which = base === undefined ? ['run-many'] : ['affected', `--base=${base}`];
  const command = ['nx', ...which, `--targets=${targets.join(',')}`, ...QUIET] as const;
  const whole = await run({ name: targets.join(', '), command, env: ENV }, root);
  const failed = whole.passed ? [] : await failedTasks(root);
  // Nx itself failed, before or after the tasks.
  if (!whole.passed && failed.length === 0) return targets.map(() => whole);
  return Promise.all(
    targets.map(async (target) => {
      // A failed dependency that was not requested itself fails the targets that depend on it.
      const own = failed.filter((task) => task.target === target || !targets.includes(task.target));
      const tails = await Promise.all(own.map(({ taskId, hash }) => lastLines(root, taskId, hash)));
      // Nx stores no output of some failures; then use the output of the whole run.
      return { passed: own.length === 0, tail: tails.some(({ length }) => length > 0) ? tails.flat() : whole.tail };
    }),
  );
}

async function failedTasks(root: string) {
  const text = await readFile(join(root, RUN_FILE), 'utf8').catch(() => '{"tasks":[]}');
  return runSchema.parse(JSON.parse(text)).tasks.filter(({ status }) => status !== 0);
}

async function lastLines(root: string, taskId: string, hash: string): Promise<string[]> {
  const output = await readFile(join(root, '.nx/cache/terminalOutputs', hash), 'utf8').catch(() => '');
  return output.trim() === '' ? [] : [`${taskId}:`, ...output.trimEnd().split('\n').slice(-TAIL_LINES)];
}

const exec = promisify(execFile);

/** The folders of the projects that differ from `base` (uncommitted files included), and of their dependents. */
export async function affectedFolders(root: string, base: string): Promise<string[]> {
  const args = ['show', 'projects', '--affected', `--base=${base}`, '--json'];
  const { stdout } = await exec(join(root, 'node_modules/.bin/nx'), args, {
    cwd: root,
    env: { ...process.env, ...ENV },
  });
  const names = z.array(z.string()).parse(JSON.parse(stdout));
  // The workspace itself is not a package.
  const packages = names.filter((name) => name.startsWith('@'));
  const folders = await Promise.all(packages.map((name) => realpath(join(root, 'node_modules', name))));
  return folders.map((folder) => relative(root, folder)).sort();
}

/** The revision that a change is compared with: `NX_BASE` if it is set, otherwise the branch main, local or at its origin. */
export async function baseRevision(root: string): Promise<string> {
  if (process.env.NX_BASE) return process.env.NX_BASE;
  const isThere = await exec('git', ['rev-parse', '--verify', '--quiet', 'main'], { cwd: root }).then(
    () => true,
    () => false,
  );
  return isThere ? 'main' : 'origin/main';
}
