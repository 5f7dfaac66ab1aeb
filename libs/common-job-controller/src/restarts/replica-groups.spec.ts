import { ANNOTATIONS, type JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { at, type PlainPod } from '../../test-support/plain-pod.ts';
import { namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';
import type { Planned } from '../../test-support/planned.ts';

/** Two replicas of two pods each: 0 and 1, 2 and 3. */
const pairs: PlainWorld = { roles: [{ name: 'Worker', replicas: 4, podsPerReplica: 2 }] };
const OOM = { phase: 'Failed', exit: 137, ended: -5 } as const;
const all = (...changes: PlainPod[]): PlainPod[] =>
  [0, 1, 2, 3].map((index) => ({ index, ...changes.find((change) => (change.index ?? 0) === index) }));
const ran = statusAfter({ ...pairs, pods: all() });
const removed = ({ remove }: Planned) => namesOf(remove.pods).sort();
const countsOf = ({ restartCount = 0, disruptionCount = 0 }: JobStatus = {}) => [restartCount, disruptionCount];

describe('multi-pod replicas: restarts', () => {
  it.each<[string, PlainPod[], removed: number[], counts: number[]]>([
    ['has failed', all({ index: 2, ...OOM }), [2, 3], [1, 0]],
    ['was evicted', all({ index: 3, phase: 'Failed', disrupted: true }), [2, 3], [0, 1]],
    [
      'has failed and the other has failed, too',
      all({ index: 0, ...OOM }, { index: 1, ...OOM, ended: -3 }),
      [0, 1],
      [1, 0],
    ],
    ['of each replica has failed', all({ index: 0, ...OOM }, { index: 2, ...OOM }), [0, 1, 2, 3], [2, 0]],
    [
      'has failed while the other was restarted in place',
      all({ index: 0, ...OOM }, { index: 1, restarts: 2 }),
      [0, 1],
      [3, 0],
    ],
    ['is deleted by a user', all({ index: 1, deleted: -1 }), [0], [0, 0]],
    ['is gone', all().slice(1), [1], [0, 0]],
    [
      'has failed after the other succeeded',
      all({ index: 0, phase: 'Succeeded' }, { index: 1, ...OOM }),
      [0, 1],
      [1, 0],
    ],
  ])('recreates all pods of a replica when one %s, and counts it once', (_case, pods, indexes, counts) => {
    const plan = planOf({ ...pairs, status: ran, pods });
    expect([plan.status?.state, removed(plan)]).toEqual(['Restarting', indexes.map((index) => `job-worker-${index}`)]);
    expect([countsOf(plan.status), plan.create.pods]).toEqual([counts, []]);
    // The operator is killed before it deletes any of them.
    const again = planOf({ ...pairs, status: plan.status ?? {}, pods });
    expect([again.status, again.counters, removed(again)]).toEqual([undefined, [], removed(plan)]);
  });

  it.each<[string, PlainPod[], removed: number[], made: number[]]>([
    ['deletes the remaining pods', all().filter(({ index }) => index !== 2), [3], []],
    [
      'deletes a pod that fails in the meantime without counting it',
      all({ index: 3, ...OOM }).filter(({ index }) => index !== 2),
      [3],
      [],
    ],
    [
      'waits for a pod that is being deleted',
      all({ index: 3, deleted: -1 }).filter(({ index }) => index !== 2),
      [],
      [],
    ],
    ['creates them when all are gone', all().slice(0, 2), [], [2, 3]],
    ['creates the second when the first exists', all({ index: 2, uid: 'new', phase: 'Pending' }).slice(0, 3), [], [3]],
    ['creates the second when the first runs', all({ index: 2, uid: 'new', failures: 1 }).slice(0, 3), [], [3]],
  ])('during a restart, %s', (_case, pods, indexes, made) => {
    const status = statusAfter({ ...pairs, status: ran, pods: all({ index: 2, ...OOM }) });
    const plan = planOf({ ...pairs, status, pods });
    expect([removed(plan), namesOf(plan.create.pods)]).toEqual([
      indexes.map((index) => `job-worker-${index}`),
      made.map((index) => `job-worker-${index}`),
    ]);
    expect(plan.counters).toEqual([]);
    for (const { metadata } of plan.create.pods)
      expect(metadata?.annotations).toMatchObject({ [ANNOTATIONS.failures]: '1' });
  });

  it('reports the lost pod, and Running once all pods of the replica run', () => {
    const lost = statusAfter({ ...pairs, status: ran, pods: all().slice(1) });
    expect(lost.conditions?.at(-1)?.message).toBe(
      'job job is restarting because Worker replica(s) failed. First: pod job-worker-0 was deleted',
    );
    const half = all({ index: 0, uid: 'new' }, { index: 1, uid: 'new', phase: 'Pending' });
    const starting = statusAfter({ ...pairs, status: lost, pods: half });
    expect(starting.state).toBe('Restarting');
    const whole = all({ index: 0, uid: 'new' }, { index: 1, uid: 'new' });
    expect(statusAfter({ ...pairs, status: starting, pods: whole })).toMatchObject({ state: 'Running', restarts: [] });
  });

  it('creates a pod that never existed without touching the existing ones', () => {
    const plan = planOf({ ...pairs, pods: [{ index: 0, phase: 'Pending' }] });
    expect([removed(plan), plan.create.pods.length]).toEqual([[], 3]);
  });

  it('delays the restart longer with each failure of any pod of the replica', () => {
    const first = statusAfter({ ...pairs, status: ran, pods: all({ index: 2, ...OOM }) });
    const made = (change: PlainPod) =>
      all({ index: 2, uid: 'new-2', failures: 1 }, { index: 3, uid: 'new-3', failures: 1, ...change });
    const runs = statusAfter({ ...pairs, status: first, pods: made({}) });
    const plan = planOf({ ...pairs, status: runs, pods: made(OOM) });
    expect([removed(plan), plan.requeueAfterMs]).toEqual([[], 10_000]);
    expect(plan.status?.conditions?.at(-1)?.message).toContain(
      `; job-worker-2 failed 2 times in a row and is restarted at ${at(10)}`,
    );
    const due = planOf({ ...pairs, status: plan.status ?? {}, pods: made(OOM), now: 10 });
    expect(removed(due)).toEqual(['job-worker-2', 'job-worker-3']);
    expect(plan.status?.restarts).toMatchObject([{ indexes: '2-3', failures: 2, lastFailureTime: at(0) }]);
  });
});

describe('multi-pod replicas: the delay of a failure policy', () => {
  const rules = [{ action: 'RestartReplica', delaySeconds: 60 } as const];
  const policy: PlainWorld = { ...pairs, runPolicy: { failurePolicy: { rules } } };
  const failed = all({ index: 2, ...OOM });
  const { status = {} } = planOf({ ...policy, status: ran, pods: failed });
  const after = (seconds: number, pods: PlainPod[]) => planOf({ ...policy, status, pods, now: seconds });

  it('holds for all pods of the replica', () => {
    const early = after(59, failed);
    expect([early.status, removed(early), early.requeueAfterMs]).toEqual([undefined, [], 1000]);
    expect(removed(after(60, failed))).toEqual(['job-worker-2', 'job-worker-3']);
  });

  it('is reported for an existing pod, not for one that is being deleted', () => {
    const { status: output } = planOf({
      ...policy,
      status: ran,
      pods: all({ index: 2, deleted: -1 }, { index: 3, ...OOM }),
    });
    expect(output?.conditions?.at(-1)?.message).toContain(`; job-worker-3 is restarted at ${at(60)}`);
  });

  it('still holds if the pods are gone before it is over', () => {
    const early = after(59, all().slice(0, 2));
    expect([early.create.pods, early.requeueAfterMs]).toEqual([[], 1000]);
    expect(namesOf(after(60, all().slice(0, 2)).create.pods)).toEqual(['job-worker-2', 'job-worker-3']);
  });
});

describe('multi-pod replicas: completion and scaling', () => {
  it('succeeds when all of its pods have', () => {
    const half = statusAfter({ ...pairs, status: ran, pods: all({ index: 0, phase: 'Succeeded' }) });
    expect(half.replicaStatuses?.['Worker']).toMatchObject({ active: 4 });
    const whole = all({ index: 0, phase: 'Succeeded' }, { index: 1, phase: 'Succeeded' });
    const status = statusAfter({ ...pairs, status: half, pods: whole });
    expect(status.replicaStatuses?.['Worker']).toMatchObject({ active: 2, succeeded: 2, succeededIndexes: '0-1' });
    expect(planOf({ ...pairs, status, pods: whole.slice(2) }).create.pods).toEqual([]);
  });

  it.each<[string, Pick<PlainWorld, 'annotations' | 'roles'>, removed: number[], indexes: string | undefined]>([
    ['the last replica', {}, [2, 3], undefined],
    [
      'the replica of a pod named in the annotation',
      { annotations: { [ANNOTATIONS.scaleDownPods]: 'job-worker-1' } },
      [0, 1],
      '2-3',
    ],
    [
      'the replica of a pod named by the kind',
      { roles: [{ name: 'Worker', replicas: 2, podsPerReplica: 2, scaleDownFirst: ['job-worker-0'] }] },
      [0, 1],
      '2-3',
    ],
  ])('removes %s as a whole when it is scaled down', (_case, world, indexes, left) => {
    const roles = [{ name: 'Worker', replicas: 2, podsPerReplica: 2 }];
    const plan = planOf({ roles, ...world, status: ran, pods: all() });
    expect(removed(plan)).toEqual(indexes.map((index) => `job-worker-${index}`));
    expect(plan.status?.replicaStatuses?.['Worker']?.indexes).toBe(left);
  });
});
