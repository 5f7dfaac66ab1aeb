import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanCommit, overdueParts, readRecordedRuns, recordRuns } from './full-runs.ts';

const exec = promisify(execFile);
const PAGE = '# Title\n\n| part | day | commit |\n| --- | --- | --- |\n';

let root = '';
let table = '';

async function git(...args: string[]): Promise<string> {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  return (await exec('git', [...identity, ...args], { cwd: root })).stdout.trim();
}

async function commits(count: number): Promise<string> {
  for (let left = count; left > 0; left -= 1) await git('commit', '--quiet', '--allow-empty', '-m', 'change');
  return git('rev-parse', '--short=10', 'HEAD');
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'muster-runs-'));
  table = join(root, 'runs.md');
  await git('init', '--quiet');
  await writeFile(table, PAGE);
  await git('add', '.');
});
afterAll(() => rm(root, { recursive: true }));

describe('the table of full runs', () => {
  it('names parts that never passed, passed too long ago, or passed on a commit of another history', async () => {
    const early = await commits(1);
    const late = await commits(25);
    const pass = (part: string, commit: string) => ({ part, day: '2026-01-01', commit });
    const parts = ['early', 'foreign', 'late', 'never'];
    await recordRuns(table, [pass('early', early), pass('foreign', 'fedcba9876'), pass('late', late)], parts);
    await commits(10);
    expect(await overdueParts(table, parts, root)).toEqual([
      `early: last passed on ${early} (2026-01-01), 35 commits ago`,
      'foreign: passed on fedcba9876, which is not in this history',
      'never: no pass is recorded',
    ]);
  });

  it('keeps the newest pass of each part, and drops parts that no longer exist', async () => {
    const pass = { part: 'late', day: '2026-02-02', commit: 'abc' };
    await recordRuns(table, [pass], ['late']);
    expect(await readRecordedRuns(table)).toEqual([pass]);
  });

  it('has a commit only if nothing but the table differs from it', async () => {
    expect(await cleanCommit(root, ['runs.md'])).toBe(await git('rev-parse', '--short=10', 'HEAD'));
    await writeFile(join(root, 'other'), '');
    expect(await cleanCommit(root, ['runs.md'])).toBeUndefined();
  });
});
