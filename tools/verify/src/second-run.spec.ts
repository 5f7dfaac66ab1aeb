import { describe, expect, it } from 'vitest';
import { areTooMany, filesToRunAgain, secondRun } from './second-run.ts';

const file = (path: string, ...failures: string[]) => ({
  path,
  passed: 3,
  failed: failures.length,
  skipped: 0,
  failures,
});

describe('filesToRunAgain', () => {
  it('returns the failed files', () => {
    expect(filesToRunAgain([file('a'), file('b', 'x', 'y'), file('c', 'x')])).toEqual(['b', 'c']);
  });

  it('returns nothing if so many files failed that they share a cause', () => {
    expect(filesToRunAgain(['a', 'b', 'c', 'd', 'e'].map((path) => file(path, 'x')))).toEqual([]);
  });
});

describe('secondRun', () => {
  it('keeps the later result of each file, and names the tests that passed only in the second run', () => {
    const first = [file('a'), file('b', 'x', 'y'), file('c', 'x')];
    const { files, flaky } = secondRun(first, [file('b'), file('c', 'x')]);
    expect(files).toEqual([file('a'), file('b'), file('c', 'x')]);
    expect(flaky).toEqual(['b > x', 'b > y']);
  });

  it('names the file if it failed outside its tests', () => {
    expect(secondRun([{ ...file('a'), failed: 1 }], [file('a')]).flaky).toEqual(['a']);
  });

  it('keeps the failure of a file that is missing from the second run', () => {
    expect(secondRun([file('a', 'x')], [])).toEqual({ files: [file('a', 'x')], flaky: [] });
  });
});

describe('areTooMany', () => {
  it('counts files, not tests', () => {
    const two = ['a > x', 'a > y', 'b > x'];
    expect([two, [...two, 'c > x']].map(areTooMany)).toEqual([false, true]);
  });
});
