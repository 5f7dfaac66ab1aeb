import { describe, expect, it } from 'vitest';
import { workers, WrittenHistory } from '../../test-support/written-history.ts';
import { boundedWrites } from './bounded-writes.ts';

const written = (times: number) => {
  const history = new WrittenHistory().job(workers(1)).pod('worker-0', 'Running');
  for (let time = 0; time < times; time++) history.status({ lastReconcileTime: String(time) });
  return history;
};

describe('bounded-writes', () => {
  it('holds for a few status writes', () => {
    expect(written(10).violations(boundedWrites)).toEqual([]);
  });

  it('is violated by a status that is written again and again', () => {
    expect(written(40).violations(boundedWrites)).toHaveLength(1);
  });
});
