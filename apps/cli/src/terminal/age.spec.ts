import { describe, expect, it } from 'vitest';
import { age, duration } from './age.ts';
import { parseDuration } from './parse-duration.ts';
import { table } from './table.ts';

describe('an age', () => {
  it.each([
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [150, '2m30s'],
    [3599, '59m'],
    [7200, '2h'],
    [7260, '2h1m'],
    [47 * 3600, '47h'],
    [49 * 3600, '2d'],
    [-5, '0s'],
  ])('%i seconds are %s', (seconds, shown) => {
    expect(duration(seconds * 1000)).toBe(shown);
  });

  it('is - if unknown', () => {
    expect([age(undefined, 0), age('soon', 0), age('1970-01-01T00:00:00Z', 90_000)]).toEqual(['-', '-', '90s']);
  });
});

describe('a duration on the command line', () => {
  it.each([
    ['90', 90_000],
    ['90s', 90_000],
    ['10m', 600_000],
    ['1h30m', 5_400_000],
  ])('%s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', 'soon', '1d', '-1s', '1.5h'])('is not %j', (text) => {
    expect(() => parseDuration(text)).toThrow('Expected a duration such as 90s, 10m or 1h30m.');
  });
});

it('columns of a table are as wide as their widest cell, and lines have no trailing blanks', () => {
  const rows = [
    ['NAME', 'STATE'],
    ['mnist-2', 'Running'],
    ['x', ''],
  ];
  expect(table(rows, { indent: ' ' })).toBe(' NAME     STATE\n mnist-2  Running\n x\n');
});
