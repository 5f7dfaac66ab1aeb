import { describe, expect, it } from 'vitest';
import { OWNER, workers, WrittenHistory } from '../../test-support/written-history.ts';
import { waitingIsExplained } from './waiting-is-explained.ts';

const waiting = (...types: readonly string[]) =>
  new WrittenHistory()
    .job(workers(2), ...['Created', ...types].map((type) => ({ type, reason: type })))
    .pod('worker-0', 'Running')
    .pod('worker-1', 'Pending');

describe('waiting-is-explained', () => {
  it('holds for a job that runs, has ended, is suspended, or has a reason', () => {
    const histories = [
      waiting().pod('worker-1', 'Running'),
      waiting('Succeeded'),
      new WrittenHistory().job(workers(2, { suspend: true }), { type: 'Suspended' }),
      waiting('Waiting'),
      waiting('ReplicaFailure'),
    ];
    expect(histories.flatMap((each) => each.violations(waitingIsExplained))).toEqual([]);
  });

  it('holds for a job that runs on without a replica that its status counts as failed', () => {
    const lost = (failed: number) =>
      new WrittenHistory()
        .job(workers(2), { type: 'Running' })
        .pod('worker-0', 'Running')
        .pod('worker-1', 'Failed')
        .status({ conditions: [{ type: 'Running', status: 'True' }], replicaStatuses: { Worker: { failed } } });
    expect([lost(1), lost(0)].map((each) => each.violations(waitingIsExplained).length)).toEqual([0, 1]);
  });

  it('holds for a job in a namespace that is being deleted', () => {
    const namespace = { resource: 'namespaces', name: 'team', uid: 'team' } as const;
    const going = waiting().put(namespace, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect(going.violations(waitingIsExplained)).toEqual([]);
  });

  it('holds if an event explains the wait', () => {
    const event = { regarding: { uid: 'job' }, reason: 'WaitingForPodGroup' };
    const history = waiting().put({ resource: 'events', name: 'e', uid: 'e' }, event as object);
    expect(history.violations(waitingIsExplained)).toEqual([]);
  });

  it('holds for a RayService that says that its cluster waits in a queue', () => {
    const suspended = { type: 'Suspended', status: 'True', reason: 'Queued' };
    const service = (message: string) =>
      new WrittenHistory()
        .put(
          { resource: 'rayservices.ray.io', name: 'chat', uid: 'job' },
          {
            kind: 'RayService',
            status: { conditions: [{ type: 'Ready', status: 'False', message }] },
          },
        )
        .put(
          { resource: 'rayclusters.ray.io', name: 'chat-abcde', uid: 'cluster' },
          {
            kind: 'RayCluster',
            metadata: { ownerReferences: [OWNER] },
            status: { muster: { conditions: [suspended] } },
          },
        )
        .violations(waitingIsExplained);
    expect(service('RayCluster chat-abcde is suspended: The job waits in queue team of Kueue')).toEqual([]);
    expect(service('The first cluster is being prepared')).toHaveLength(1);
  });

  it.each([
    ['a pending pod without a reason', waiting()],
    [
      'a job without a status',
      new WrittenHistory().put({ resource: 'pytorchjobs.kubeflow.org', name: 'mnist', uid: 'job' }, {}),
    ],
    [
      'a suspended job with a pod',
      new WrittenHistory().job(workers(1, { suspend: true }), { type: 'Suspended' }).pod('worker-0', 'Running'),
    ],
    [
      'the same that waits with a reason',
      new WrittenHistory()
        .job(workers(1, { suspend: true }), { type: 'Suspended' }, { type: 'Waiting', reason: 'Suspended' })
        .pod('worker-0', 'Running'),
    ],
  ])('is violated by %s', (_what, history) => {
    expect(history.violations(waitingIsExplained)).toHaveLength(1);
  });
});
