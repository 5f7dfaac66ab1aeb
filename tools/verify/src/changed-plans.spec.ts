import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { baseOf } from './changed-plans.ts';

let root: string;

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' }).trim();
}

function commit(subject: string): string {
  git('commit', '--quiet', '--allow-empty', '-m', subject);
  return git('rev-parse', 'HEAD');
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'muster-base-'));
  git('init', '--quiet', '--initial-branch', 'main');
});
afterEach(() => rmSync(root, { recursive: true }));

describe('the base that plans are compared with', () => {
  it('is the commit where the branch began', () => {
    const base = commit('one');
    git('checkout', '--quiet', '-b', 'change');
    commit('two');
    commit('three');
    expect(baseOf(undefined, root)).toBe(base);
  });

  it('is the commit before on the main branch', () => {
    const before = commit('one');
    commit('two');
    expect(baseOf(undefined, root)).toBe(before);
  });

  it('is the given commit, if it exists', () => {
    const one = commit('one');
    commit('two');
    expect(baseOf('HEAD~1', root)).toBe(one);
    expect(baseOf('v0.0.1', root)).toBeUndefined();
  });

  it('does not exist in a clone of one commit', () => {
    commit('one');
    expect(baseOf(undefined, root)).toBeUndefined();
  });
});
