import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterError, runCommand } from '@muster/cluster';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitOf, defaultPrevious } from './previous-commit.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'muster-previous-'));
  await git(['init', '--quiet']);
});
afterEach(() => rm(root, { recursive: true }));

async function git(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const own = ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
  const { stdout } = await runCommand('git', [...own, ...args], {
    env: { PATH: process.env['PATH'], HOME: root, ...env },
  });
  return stdout.trim();
}

async function commitAt(time: string): Promise<string> {
  await git(['commit', '--quiet', '--allow-empty', '-m', time], { GIT_COMMITTER_DATE: time });
  return git(['rev-parse', 'HEAD']);
}

describe('defaultPrevious', () => {
  it('is the last commit of the day before, in UTC', async () => {
    await commitAt('2026-11-24T12:00:00Z');
    const last = await commitAt('2026-11-26T01:30:00+02:00');
    await commitAt('2026-11-26T00:00:01Z');
    await commitAt('2026-11-26T09:00:00Z');
    expect(await defaultPrevious(root)).toBe(last);
  });

  it('is the newest release before this commit', async () => {
    await commitAt('2026-11-24T12:00:00Z');
    await git(['tag', 'v0.1.0']);
    await commitAt('2026-11-25T12:00:00Z');
    await git(['tag', 'other']);
    await commitAt('2026-11-26T12:00:00Z');
    await git(['tag', 'v0.2.0']);
    expect(await defaultPrevious(root)).toBe('v0.1.0');
  });

  it('is undefined in a history of one day without a release', async () => {
    await commitAt('2026-11-26T12:00:00Z');
    expect(await defaultPrevious(root)).toBeUndefined();
  });
});

describe('commitOf', () => {
  it('returns the commit of a tag, and rejects a name that does not exist', async () => {
    const commit = await commitAt('2026-11-26T12:00:00Z');
    await git(['tag', '--annotate', '--message', 'a', 'v0.1.0']);
    expect(await commitOf('v0.1.0', root)).toBe(commit);
    await expect(commitOf('v9', root)).rejects.toThrow(ClusterError);
  });
});
