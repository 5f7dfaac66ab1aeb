import { describe, expect, it } from 'vitest';
import { workers, WrittenHistory } from '../../test-support/written-history.ts';
import { oneLivePodPerReplica } from './one-live-pod-per-replica.ts';

const started = () => new WrittenHistory().job(workers(1)).pod('worker-0', 'Running');

describe('one-live-pod-per-replica', () => {
  it('holds if a pod is replaced after it has failed or is removed', () => {
    const failed = started()
      .pod('worker-0', 'Failed')
      .pod('worker-0', 'Pending', { uid: 'second', name: 'mnist-worker-0-b' });
    const removed = started().deletePod('worker-0').pod('worker-0', 'Pending', { uid: 'second' });
    expect([failed, removed].flatMap((each) => each.violations(oneLivePodPerReplica))).toEqual([]);
  });

  it('is violated by a second pod of a replica whose first pod still runs', () => {
    const twice = started().pod('worker-0', 'Pending', { uid: 'second', name: 'mnist-worker-0-b' });
    expect(twice.violations(oneLivePodPerReplica)).toMatchObject([{ about: 'PyTorchJob team/mnist' }]);
  });
});
