import { describe, expect, it } from 'vitest';
import { JOB, workers, WrittenHistory } from '../../test-support/written-history.ts';
import { nothingLeftBehind } from './nothing-left-behind.ts';
import { waitingIsExplained } from './waiting-is-explained.ts';

const job = () => new WrittenHistory().job(workers(1)).pod('worker-0', 'Running');

describe('nothing-left-behind', () => {
  it('holds if the pods of a removed job are removed, too', () => {
    expect(job().remove(JOB).deletePod('worker-0').violations(nothingLeftBehind)).toEqual([]);
  });

  it('holds for a job that only the garbage collector still holds', () => {
    const deleted = { metadata: { deletionTimestamp: 'now', finalizers: ['foregroundDeletion'] } };
    expect(job().deletePod('worker-0').put(JOB, deleted).violations(nothingLeftBehind)).toEqual([]);
    expect(job().put(JOB, deleted).violations(nothingLeftBehind)).toHaveLength(1);
  });

  it('holds for a pod that only its kubelet still holds, also in a job that waits for it', () => {
    const pod = { resource: 'pods', name: 'mnist-worker-0', uid: 'worker-0' };
    const deleting = (finalizers: string[]) => ({ metadata: { deletionTimestamp: 'now', finalizers } });
    const both = (finalizers: string[]) => [
      job().remove(JOB).put(pod, deleting(finalizers)),
      job()
        .put(JOB, deleting(['foregroundDeletion']))
        .put(pod, deleting(finalizers)),
    ];
    const invariants = [nothingLeftBehind, waitingIsExplained];
    const violations = (histories: readonly WrittenHistory[]) =>
      invariants.flatMap((invariant) => histories.flatMap((each) => each.violations(invariant)));
    expect(violations(both([]))).toEqual([]);
    expect(violations(both(['muster.dev/x']))).toHaveLength(3);
  });

  it('is violated by a pod of a removed job, once nothing changes any more', () => {
    const history = job().remove(JOB);
    expect(history.violations(nothingLeftBehind)).toHaveLength(1);
    expect(history.violations(nothingLeftBehind, { hasSettled: false })).toEqual([]);
  });

  it('is violated by a deleted job that a finalizer holds', () => {
    const history = job().put(JOB, { metadata: { deletionTimestamp: 'now', finalizers: ['muster.dev/x'] } });
    expect(history.violations(nothingLeftBehind)).toMatchObject([
      { message: expect.stringContaining('muster.dev/x') as string },
    ]);
  });
});
