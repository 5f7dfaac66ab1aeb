import { describe, expect, it } from 'vitest';
import { figure, median } from './figure.ts';

describe('median', () => {
  it.each([
    [[3], 3],
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('refuses to make one up from nothing', () => {
    expect(() => median([])).toThrow('measure at least once');
  });
});

describe('figure', () => {
  it('says how many times the floor the median is, and whether the target is met', () => {
    expect(figure([0.31, 0.3, 0.5], [0.1, 0.1, 0.2], 2, 0.5)).toEqual({
      median: 0.31,
      min: 0.3,
      max: 0.5,
      floor: 0.1,
      ratio: 3.1,
      target: 0.5,
      met: true,
    });
  });

  it('does not meet a target that is only reached', () => {
    expect(figure([130], [60], 0, 130)).toMatchObject({ met: false });
  });
});
