/** The commands and queries of a runbook's page, and how a test runs them. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureBinaries, type Progress } from '@muster/cluster';
import { eventually } from '@muster/testing';
import { expect } from 'vitest';
import { CHECKS, type RunbookCheck } from './runbook-checks.ts';

const RUNBOOKS = join(import.meta.dirname, '../../../docs/administrators/runbooks');

const MUSTER = join(import.meta.dirname, '../../../apps/cli/bin/muster.js');

/** With a subcommand; `muster why` alone only mentions the command. */
const COMMAND = /^(?:kubectl|helm|muster) \S+ /;

/** Longer than a rollout takes. */
const COMMAND_LIMIT_MS = 300_000;
/** An event, a log line or a status may appear after the alert fires. */
const SHOWN_WITHIN_MS = 60_000;

export interface RunbookCommands {
  readonly commands: readonly string[];
  readonly queries: readonly string[];
}

/** Commands in blocks and in running text, each without its comment. @param alert the name of the page */
export function runbookCommands(alert: string): RunbookCommands {
  const text = readFileSync(join(RUNBOOKS, `${alert}.md`), 'utf8');
  const blocks = (language: string) =>
    [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\n\`\`\``, 'gs'))].map(([, block = '']) => block);
  const lines = blocks('sh').flatMap((block) => block.split('\n'));
  const prose = text.replaceAll(/```.*?```/gs, '');
  const inline = [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code).filter((code) => COMMAND.test(code));
  const commands = [...lines, ...inline].map((line) => line.replace(/\s{2,}# .*$/, '').trim());
  return { commands: [...new Set(commands)], queries: blocks('promql') };
}

/**
 * The values of `$DEPLOY` and `$OPERATOR`, from the commands of the index.
 *
 * @param of replaces the example namespace and release of the page
 */
export async function operatorNames(
  of: { readonly namespace: string; readonly release: string },
  shell: Pick<RunbookShell, 'env' | 'folder'>,
): Promise<Readonly<Record<'$DEPLOY' | '$OPERATOR', string>>> {
  const text = readFileSync(join(RUNBOOKS, 'README.md'), 'utf8');
  const [example = '', ...commands] = /```sh\n(.*?)\n```/s.exec(text)?.[1]?.split('\n') ?? [];
  expect(example).toMatch(/^NS=\S+ RELEASE=\S+$/);
  const lines = [`NS=${of.namespace} RELEASE=${of.release}`, ...commands, 'echo "$DEPLOY"', 'echo "$OPERATOR"'];
  const { code, output } = await run(lines.join('\n'), shell);
  const [deploy = '', operator = '', ...rest] = output.trimEnd().split('\n');
  expect({ code, rest }, output).toEqual({ code: 0, rest: [] });
  return { $DEPLOY: deploy, $OPERATOR: operator };
}

/** The check of a command; undefined if there is none. */
export function checkOf(alert: string, command: string): RunbookCheck | undefined {
  return CHECKS.find((check) => (check.alert ?? alert) === alert && check.command.test(command));
}

/** How commands run: with the programs of the pages on the PATH, in their own folder. */
export interface RunbookShell {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  remove(): Promise<void>;
}

export async function runbookShell(kubeconfig: string, progress: Progress): Promise<RunbookShell> {
  const [kubectl = '', helm = ''] = await ensureBinaries(['kubectl', 'helm'], progress);
  const folder = await mkdtemp(join(tmpdir(), 'muster-runbooks-'));
  const programs = join(folder, 'bin');
  await mkdir(programs);
  for (const [name, path] of Object.entries({ kubectl, helm, muster: MUSTER }))
    await symlink(path, join(programs, name));
  const path = [programs, dirname(process.execPath), process.env['PATH']].join(':');
  const env = { ...process.env, PATH: path, KUBECONFIG: kubeconfig, NO_COLOR: '1' };
  return { env, folder, remove: () => rm(folder, { recursive: true }) };
}

export interface RunbookContext {
  readonly shell: RunbookShell;
  /** The values of `$NS` and similar variables, and of placeholders such as `<job>`. */
  readonly values: Readonly<Record<string, string>>;
  /** The operator's log, if it is a process and not a pod. */
  readonly log?: string;
}

/** Runs the commands of a page that apply here, and fails if one does not show the expected output. */
export async function runRunbook(
  alert: string,
  where: RunbookCheck['where'],
  surroundings: RunbookContext,
): Promise<string[]> {
  const done: string[] = [];
  for (const command of runbookCommands(alert).commands) {
    const check = checkOf(alert, command);
    if (check?.where !== where) continue;
    await runChecked(alert, command, check, surroundings);
    done.push(command);
  }
  return done;
}

async function runChecked(
  alert: string,
  command: string,
  check: RunbookCheck,
  { shell, values, log }: RunbookContext,
): Promise<void> {
  const ofProcess = log === undefined ? command : command.replace(/^kubectl -n \$NS logs [^|]*/, `cat ${log} `);
  const filled = fill(ofProcess, values);
  let last = { code: 0, output: '' };
  const isAsExpected = async () => {
    last = await run(filled, shell);
    return (last.code === 0) !== (check.fails === true) && check.shows.test(last.output);
  };
  const describe = () => `${alert}: ${filled}\nexit code ${last.code}, expected ${check.shows}:\n${last.output}`;
  if (check.once === true) expect(await isAsExpected(), describe()).toBe(true);
  else await eventually(isAsExpected, { withinMs: SHOWN_WITHIN_MS, describe });
}

/** Throws if a placeholder has no value. */
export function fill(command: string, values: Readonly<Record<string, string>>): string {
  const filled = command.replaceAll(/<[a-z-]+>|\$[A-Z]+\b/g, (placeholder) => values[placeholder] ?? placeholder);
  const left = /<[a-z-]+>|\$[A-Z]+\b/.exec(filled);
  if (left !== null) throw new Error(`${left[0]} has no value in: ${command}`);
  return filled;
}

/** In a shell, with both outputs in their order. */
function run(
  command: string,
  { env, folder: cwd }: Pick<RunbookShell, 'env' | 'folder'>,
): Promise<{ code: number; output: string }> {
  const args = ['-o', 'pipefail', '-c', command];
  return new Promise((resolve) => {
    execFile('bash', args, { env, cwd, timeout: COMMAND_LIMIT_MS, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}${stderr}` });
    });
  });
}
