import { describe, expect, it } from 'vitest';
import { heatmapOf } from './heatmap.ts';
import { aligned, reduced, type Series, seriesOf, stacked, STATISTICS } from './series.ts';
import { stateSpans } from './state-spans.ts';

const series = (times: number[], values: number[], labels: Record<string, string> = {}): Series => ({
  refId: 'A',
  name: 'a',
  labels,
  times,
  values,
});

describe('series of an answer', () => {
  it('are named by the legend', () => {
    const data = {
      resultType: 'vector',
      result: [{ metric: { __name__: 'up', job: 'x' }, value: [1, '+Inf'] }],
    } as const;
    expect(seriesOf({ refId: 'A', legendFormat: '{{job}} {{ gone }}' }, data)).toMatchObject([
      { name: 'x ', values: [Infinity] },
    ]);
    expect(seriesOf({ refId: 'A', legendFormat: '__auto' }, data)).toMatchObject([{ name: 'up{job="x"}' }]);
    expect(seriesOf({ expr: '1 + 1' }, { resultType: 'scalar', result: [1, '2'] })).toMatchObject([
      { name: '1 + 1', values: [2] },
    ]);
  });

  it('have gaps at steps of the query without a point', () => {
    const { times, values } = aligned([series([0, 10, 40], [1, 2, 3]), series([10, 40], [NaN, 5])], 10);
    expect(times).toEqual([0, 10, 20, 40]);
    expect(values).toEqual([
      [1, 2, undefined, 3],
      [undefined, undefined, undefined, 5],
    ]);
  });

  it('are stacked without gaps', () => {
    const parts = [
      [1, 2, undefined, undefined],
      [undefined, undefined, undefined, undefined],
      [10, undefined, 30, undefined],
      [100, 200, 300, undefined],
    ];
    expect(stacked(parts)).toEqual([
      [1, 2, 0, undefined],
      [undefined, undefined, undefined, undefined],
      [11, 2, 30, undefined],
      [111, 202, 330, undefined],
    ]);
  });

  it('have statistics that ignore NaN', () => {
    const all = Object.keys(STATISTICS).map((name) => [name, reduced(series([1, 2, 3], [NaN, 4, 2]), name)]);
    expect(Object.fromEntries(all)).toMatchObject({
      last: 2,
      first: 4,
      min: 2,
      max: 4,
      mean: 3,
      sum: 6,
      count: 2,
      range: 2,
      delta: -2,
    });
    expect(reduced(series([], []), 'last')).toBeUndefined();
    expect(reduced(series([1], [1]), 'median')).toBeUndefined();
  });
});

describe('spans of a state', () => {
  it('end at a change of the value, and at missing data', () => {
    expect(stateSpans(series([0, 10, 20, 30, 50], [1, 1, 2, NaN, 2]), 10)).toEqual([
      { fromSeconds: 0, toSeconds: 20, value: 1 },
      { fromSeconds: 20, toSeconds: 30, value: 2 },
      { fromSeconds: 50, toSeconds: 60, value: 2 },
    ]);
  });
});

describe('a heatmap', () => {
  it('counts in each bucket what no lower bucket contains', () => {
    const buckets = [
      series([1, 2], [7, 9], { le: '+Inf' }),
      series([1, 2], [2, NaN], { le: '0.5' }),
      series([1, 2], [5, 4], { le: '1' }),
    ];
    expect(heatmapOf(buckets)).toEqual({
      times: [1, 2],
      bounds: [0.5, 1, Infinity],
      counts: [
        [2, 0],
        [3, 4],
        [2, 5],
      ],
    });
  });
});
