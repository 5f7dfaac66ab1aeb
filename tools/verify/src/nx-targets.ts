/**
 * Targets of Nx, run for all projects or for those that a change touches. What has passed before on the same inputs comes
 * from Nx's cache, reports of tests included.
 */
import { execFile } from 'node:child_process';
import { readFile, realpath, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { run, type Outcome } from './step.ts';

/** Nx says nothing on a run of all projects but what has failed; it asks nothing and keeps no process behind. */
const QUIET = ['--outputStyle=static-failures-only'];
const ENV = { NX_TUI: 'false', NX_DAEMON: 'false', NX_NO_CLOUD: 'true' };

/** What Nx leaves of its last run; only what is read. */
const RUN_FILE = '.nx/cache/run.json';
const runSchema = z.object({
  tasks: z.array(z.object({ taskId: z.string(), target: z.string(), hash: z.string(), status: z.number() })),
});

const TAIL_LINES = 25;

/**
 * Runs the targets side by side, each for all projects that have it, or with `base` for those that differ from that
 * revision of git. The outcome of each target: it has passed if no project has failed.
 */
export async function runTargets(targets: readonly string[], root: string, base?: string): Promise<Outcome[]> {
  await rm(join(root, RUN_FILE), { force: true });
  const which = base === undefined ? ['run-many'] : ['affected', `--base=${base}`];
  const command = ['nx', ...which, `--targets=${targets.join(',')}`, ...QUIET] as const;
  const whole = await run({ name: targets.join(', '), command, env: ENV }, root);
  const failed = whole.passed ? [] : await failedTasks(root);
  // Nx has failed itself, before or after the tasks.
  if (!whole.passed && failed.length === 0) return targets.map(() => whole);
  return Promise.all(
    targets.map(async (target) => {
      // What a target depends on, and nobody has asked for by itself, speaks for it.
      const own = failed.filter((task) => task.target === target || !targets.includes(task.target));
      const words = await Promise.all(own.map(({ taskId, hash }) => lastWords(root, taskId, hash)));
      // Nx keeps no words of some failures; then those of the whole run have to do.
      return { passed: own.length === 0, tail: words.some(({ length }) => length > 0) ? words.flat() : whole.tail };
    }),
  );
}

async function failedTasks(root: string) {
  const text = await readFile(join(root, RUN_FILE), 'utf8').catch(() => '{"tasks":[]}');
  return runSchema.parse(JSON.parse(text)).tasks.filter(({ status }) => status !== 0);
}

async function lastWords(root: string, taskId: string, hash: string): Promise<string[]> {
  const said = await readFile(join(root, '.nx/cache/terminalOutputs', hash), 'utf8').catch(() => '');
  return said.trim() === '' ? [] : [`${taskId}:`, ...said.trimEnd().split('\n').slice(-TAIL_LINES)];
}

const exec = promisify(execFile);

/** The folders of the projects that differ from `base`, or need one that does; uncommitted files count. */
export async function affectedFolders(root: string, base: string): Promise<string[]> {
  const args = ['show', 'projects', '--affected', `--base=${base}`, '--json'];
  const { stdout } = await exec(join(root, 'node_modules/.bin/nx'), args, {
    cwd: root,
    env: { ...process.env, ...ENV },
  });
  const names = z.array(z.string()).parse(JSON.parse(stdout));
  // The workspace itself is no package of its own.
  const packages = names.filter((name) => name.startsWith('@'));
  const folders = await Promise.all(packages.map((name) => realpath(join(root, 'node_modules', name))));
  return folders.map((folder) => relative(root, folder)).sort();
}

/** What a change is compared with: `NX_BASE` if it is set, else the branch main, here or at its origin. */
export async function baseRevision(root: string): Promise<string> {
  if (process.env.NX_BASE) return process.env.NX_BASE;
  const isThere = await exec('git', ['rev-parse', '--verify', '--quiet', 'main'], { cwd: root }).then(
    () => true,
    () => false,
  );
  return isThere ? 'main' : 'origin/main';
}
