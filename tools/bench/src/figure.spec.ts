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

  it('throws without measurements', () => {
    expect(() => median([])).toThrow('measure at least once');
  });
});

describe('figure', () => {
  it('has the ratio of the median to the floor, and whether the target is met', () => {
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

  it('does not meet a target that it only equals', () => {
    expect(figure([130], [60], 0, 130)).toMatchObject({ met: false });
  });
});
