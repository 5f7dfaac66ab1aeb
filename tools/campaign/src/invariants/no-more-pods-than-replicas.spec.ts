import { describe, expect, it } from 'vitest';
import { workers, WrittenHistory } from '../../test-support/written-history.ts';
import { noMorePodsThanReplicas } from './no-more-pods-than-replicas.ts';

describe('no-more-pods-than-replicas', () => {
  it('holds if an earlier pod of the role is being deleted or has ended', () => {
    const history = new WrittenHistory().job(workers(1)).pod('worker-0', 'Running').pod('worker-0', 'Succeeded');
    expect(history.pod('worker-1', 'Pending').violations(noMorePodsThanReplicas)).toEqual([]);
  });

  it('is violated by one pod more than the role has ever had replicas', () => {
    const history = new WrittenHistory().job(workers(1)).pod('worker-0', 'Running').pod('worker-1', 'Pending');
    expect(history.violations(noMorePodsThanReplicas)).toHaveLength(1);
  });
});
