import { describe, expect, it } from 'vitest';
import { workers, WrittenHistory } from '../../test-support/written-history.ts';
import { noDefectsReported } from './no-defects-reported.ts';
import { noMissingRights } from './no-missing-rights.ts';

describe('no-defects-reported', () => {
  it('holds for a job without PlanningFailed', () => {
    expect(
      new WrittenHistory()
        .job(workers(1), { type: 'ReplicaFailure', reason: 'FailedCreate' })
        .violations(noDefectsReported),
    ).toEqual([]);
  });

  it('is violated by PlanningFailed and by a process that ended by itself', () => {
    const history = new WrittenHistory().job(workers(1), { type: 'ReplicaFailure', reason: 'PlanningFailed' });
    const exits = [{ replica: 'pytorch/a', operatorVersion: 'current', atMs: 1, end: '1', lastLines: 'Error' }];
    expect(history.violations(noDefectsReported, { exits })).toHaveLength(2);
  });
});

describe('no-missing-rights', () => {
  it('is violated by each refused request, and holds without one', () => {
    const refusals = [{ user: 'system:serviceaccount:muster:muster-pytorch', request: 'list secrets' }];
    expect(new WrittenHistory().violations(noMissingRights)).toEqual([]);
    expect(new WrittenHistory().violations(noMissingRights, { refusals })).toHaveLength(1);
  });
});
