import { describe, expect, it } from 'vitest';
import { nodesFor, perCluster, sum } from './ray-figures.ts';

describe('nodesFor', () => {
  it.each([1, 55, 100, 1000])('gives room for two pods of each of %d clusters, and more', (clusters) => {
    expect(nodesFor(clusters) * 110).toBeGreaterThanOrEqual(2 * clusters + 110);
  });
});

describe('sum and perCluster', () => {
  it('count all requests, and each kind by cluster', () => {
    const counts = { 'GET 200': 1, 'POST 201': 300 };
    expect(sum(counts)).toBe(301);
    expect(perCluster(counts, 100)).toEqual({ 'GET 200': 0.01, 'POST 201': 3 });
  });
});
