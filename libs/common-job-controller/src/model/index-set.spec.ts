import { describe, expect, it } from 'vitest';
import { formatIndexes, parseIndexes } from './index-set.ts';

describe('formatIndexes', () => {
  it.each([
    [[], ''],
    [[0], '0'],
    [[3, 1, 2, 0], '0-3'],
    [[0, 2, 3, 5, 5], '0,2-3,5'],
    [[9, 10], '9-10'],
  ])('writes %j as "%s"', (indexes, text) => {
    expect(formatIndexes(indexes)).toBe(text);
  });
});

describe('parseIndexes', () => {
  it.each([
    ['', []],
    ['0', [0]],
    ['0,2-4', [0, 2, 3, 4]],
    ['4-2', []],
    ['1,x,-3,2', [1, 2]],
    ['0-999999999', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ])('reads "%s"', (text, indexes) => {
    expect([...parseIndexes(text, 10)]).toEqual(indexes);
  });

  it('reads undefined as the empty set', () => {
    expect(parseIndexes(undefined, 10).size).toBe(0);
  });
});
