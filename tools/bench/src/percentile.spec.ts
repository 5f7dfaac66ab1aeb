import { expect, it } from 'vitest';
import { histogramPercentile, percentile } from './percentile.ts';

it('is the value that this share of the values does not exceed', () => {
  const hundred = Array.from({ length: 100 }, (_value, index) => 100 - index);
  expect([percentile(hundred, 0.5), percentile(hundred, 0.99), percentile([7], 0.5)]).toEqual([50, 99, 7]);
});

it('is the bound of the bucket of a histogram', () => {
  const buckets = { '+Inf': 100, '0.1': 98, '0.5': 99, '1': 100 };
  expect([histogramPercentile(buckets, 0.5), histogramPercentile(buckets, 0.99)]).toEqual([0.1, 0.5]);
  expect(histogramPercentile({ '+Inf': 3, '1': 0 }, 0.99)).toBe(Infinity);
  expect(histogramPercentile({}, 0.99)).toBeUndefined();
});
