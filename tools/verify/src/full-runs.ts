/**
 * The table `docs/maintainers/full-runs.md`: on which commit each part of `npm run e2e:full` last passed. A part is a spec file that
 * `npm test` does not run, or a step without spec files of its own.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { rowsOf, writePage } from './markdown-table.ts';

const exec = promisify(execFile);

/** `npm test` names each part that has not passed for more commits than this. */
const OVERDUE_AFTER = 30;

export interface RecordedRun {
  readonly part: string;
  readonly day: string;
  readonly commit: string;
}

export async function readRecordedRuns(file: string): Promise<RecordedRun[]> {
  return rowsOf(await readFile(file, 'utf8')).map(([part = '', day = '', commit = '']) => ({ part, day, commit }));
}

/** Replaces the rows of the parts that passed, and removes the rows of parts that no longer exist. @param parts all that exist */
export async function recordRuns(
  file: string,
  passed: readonly RecordedRun[],
  parts: readonly string[],
): Promise<void> {
  const latest = new Map([...(await readRecordedRuns(file)), ...passed].map((pass) => [pass.part, pass]));
  const rows = [...latest.values()]
    .filter(({ part }) => parts.includes(part))
    .sort((a, b) => (a.part < b.part ? -1 : 1))
    .map(({ part, day, commit }) => [part, day, commit]);
  await writePage(file, await readFile(file, 'utf8'), rows);
}

/** One line for each part that never passed, or that last passed more than `OVERDUE_AFTER` commits ago. */
export async function overdueParts(file: string, parts: readonly string[], root: string): Promise<string[]> {
  const passes = new Map((await readRecordedRuns(file)).map((pass) => [pass.part, pass]));
  const lines = await Promise.all(
    parts.map(async (part) => {
      const pass = passes.get(part);
      if (pass === undefined) return `${part}: no pass is recorded`;
      const age = await commitsSince(pass.commit, root);
      if (age === undefined) return `${part}: passed on ${pass.commit}, which is not in this history`;
      return age > OVERDUE_AFTER ? `${part}: last passed on ${pass.commit} (${pass.day}), ${age} commits ago` : [];
    }),
  );
  return lines.flat();
}

/** Undefined if the commit is not an ancestor of HEAD. */
async function commitsSince(commit: string, root: string): Promise<number | undefined> {
  try {
    await exec('git', ['merge-base', '--is-ancestor', commit, 'HEAD'], { cwd: root });
    const { stdout } = await exec('git', ['rev-list', '--count', `${commit}..HEAD`], { cwd: root });
    return Number(stdout);
  } catch {
    return undefined;
  }
}

/** The checked-out commit, abbreviated; undefined if files other than those in `except` differ from it. */
export async function cleanCommit(root: string, except: readonly string[]): Promise<string | undefined> {
  const { stdout: changes } = await exec('git', ['status', '--porcelain'], { cwd: root });
  const changed = changes.split('\n').filter((line) => line !== '' && !except.includes(line.slice(3)));
  if (changed.length > 0) return undefined;
  const { stdout } = await exec('git', ['rev-parse', '--short=10', 'HEAD'], { cwd: root });
  return stdout.trim();
}
