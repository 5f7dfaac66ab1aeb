import { describe, expect, it } from 'vitest';
import { areTooMany, filesToRunAgain, secondRun } from './second-run.ts';

const file = (path: string, failed: number) => ({ path, passed: 3, failed, skipped: 0 });

describe('filesToRunAgain', () => {
  it('are those that have failed', () => {
    expect(filesToRunAgain([file('a', 0), file('b', 2), file('c', 1)])).toEqual(['b', 'c']);
  });

  it('are none when so many have failed that they share a cause', () => {
    expect(filesToRunAgain(['a', 'b', 'c', 'd', 'e'].map((path) => file(path, 1)))).toEqual([]);
  });
});

describe('secondRun', () => {
  it('takes the later result of each file, and calls unstable what has passed only then', () => {
    const { files, unstable } = secondRun([file('a', 0), file('b', 2), file('c', 1)], [file('b', 0), file('c', 1)]);
    expect(files).toEqual([file('a', 0), file('b', 0), file('c', 1)]);
    expect(unstable).toEqual(['b']);
  });

  it('keeps the failure of a file of which the second run says nothing', () => {
    expect(secondRun([file('a', 1)], [])).toEqual({ files: [file('a', 1)], unstable: [] });
  });
});

describe('areTooMany', () => {
  it('is said of more than two', () => {
    expect(
      [
        ['a', 'b'],
        ['a', 'b', 'c'],
      ].map(areTooMany),
    ).toEqual([false, true]);
  });
});
