import { describe, expect, it } from 'vitest';
import { metricSums, metricValue, subtract } from './request-counts.ts';

const TEXT = `# TYPE requests_total counter
requests_total{code="200",method="GET",host="a"} 3
requests_total{code="200",method="GET",host="b"} 4
requests_total{code="201",method="POST",host="a"} 1
requests_total_created{code="200",method="GET"} 9
`;

describe('metricSums', () => {
  it('adds up series that differ only in other labels', () => {
    expect(metricSums(TEXT, 'requests_total', ['method', 'code'])).toEqual({ 'GET 200': 7, 'POST 201': 1 });
  });
});

describe('metricValue', () => {
  it.each([
    ['lag_seconds', 0.25],
    ['lag', undefined],
  ])('of %s is %s', (name, value) => {
    expect(metricValue('# TYPE lag_seconds gauge\nlag_seconds 0.25\nlag_seconds_max 3\n', name)).toBe(value);
  });
});

describe('subtract', () => {
  it('returns the increases, of new keys too, and omits unchanged values', () => {
    expect(subtract({ a: 3, b: 2, c: 1 }, { a: 1, b: 2 })).toEqual({ a: 2, c: 1 });
  });
});
