import { describe, expect, it } from 'vitest';
import type { Series } from './series.ts';
import { sorted, tableOf, transformed } from './table.ts';

const row = (labels: Record<string, string>, value: number): Series => ({
  refId: 'A',
  name: '',
  labels,
  times: [1],
  values: [value],
});

describe('a table', () => {
  const jobs = tableOf('A', [row({ job: 'b', namespace: 'x' }, 2), row({ job: 'a', namespace: 'y' }, 1)], true);
  const restarts = tableOf('B', [row({ job: 'b', namespace: 'x' }, 7)], true);

  it('has a column for each label and for the value', () => {
    expect(jobs.columns).toEqual(['Time', 'job', 'namespace', 'Value #A']);
    expect(jobs.rows[0]).toEqual([1000, 'b', 'x', 2]);
    expect(tableOf('A', [row({}, 1)], false).columns).toEqual(['Time', 'Value']);
  });

  it('is merged by common columns', () => {
    const [merged] = transformed([jobs, restarts], [{ id: 'merge' }]);
    expect(merged?.columns).toEqual(['Time', 'job', 'namespace', 'Value #A', 'Value #B']);
    expect(merged?.rows).toEqual([
      [1000, 'b', 'x', 2, 7],
      [1000, 'a', 'y', 1, undefined],
    ]);
    const [inner] = transformed([jobs, restarts], [{ id: 'joinByField', options: { byField: 'job', mode: 'inner' } }]);
    expect(inner?.rows).toHaveLength(1);
  });

  it('has the selected columns, renamed and in order', () => {
    const options = {
      excludeByName: { Time: true },
      indexByName: { namespace: 0, job: 1 },
      renameByName: { job: 'Job' },
    };
    const [organized] = transformed([jobs], [{ id: 'organize', options }]);
    expect(organized?.columns).toEqual(['namespace', 'Job', 'Value #A']);
    expect(organized?.rows[0]).toEqual(['x', 'b', 2]);
    const [filtered] = transformed([jobs], [{ id: 'filterFieldsByName', options: { include: { names: ['job'] } } }]);
    expect(filtered?.columns).toEqual(['job']);
  });

  it('is sorted by numbers or alphabetically, with missing values last', () => {
    const [merged] = transformed(
      [jobs, restarts],
      [{ id: 'merge' }, { id: 'sortBy', options: { sort: [{ field: 'Value #B', desc: true }] } }],
    );
    expect(merged?.rows.map((each) => each[1])).toEqual(['b', 'a']);
    expect(sorted(jobs, 'job', false).rows.map((each) => each[1])).toEqual(['a', 'b']);
    expect(sorted(jobs, 'gone', false)).toBe(jobs);
  });
});
