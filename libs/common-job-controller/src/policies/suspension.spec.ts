import type { JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { at, type PlainPod } from '../../test-support/plain-pod.ts';
import { conditionsOf, namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';

const suspend = { suspend: true };
const pods: PlainPod[] = [{ index: 0 }, { index: 1, phase: 'Pending' }, { index: 2, phase: 'Succeeded' }];
const running: PlainWorld = { workers: 3, pods, now: -100 };
const suspended: PlainWorld = { workers: 3, pods, runPolicy: suspend, now: -50 };
const gone: PlainWorld = { ...suspended, pods: [] };

describe('planJob: a job that is suspended', () => {
  it.each<[string, PlainWorld[], string[]]>([
    ['has Suspended after Created if it is created suspended', [gone], ['Created=True', 'Suspended=True']],
    ['has Running=False if it was running', [running, suspended], ['Created=True', 'Running=False', 'Suspended=True']],
    [
      'loses Restarting if it was restarting',
      [{ ...running, pods: [{ phase: 'Failed', exit: 137 }] }, suspended],
      ['Created=True', 'Suspended=True'],
    ],
    [
      'has Suspended last again when it is suspended a second time',
      [running, suspended, { ...running, pods: [] }, running, suspended],
      ['Created=True', 'Running=False', 'Suspended=True'],
    ],
  ])('%s', (_case, worlds, conditions) => {
    const status = statusAfter(...worlds);
    expect(conditionsOf(status)).toEqual(conditions);
    expect(status.state).toBe('Suspended');
  });

  it('has the reason on both conditions', () => {
    expect(statusAfter(running, suspended).conditions?.slice(1)).toMatchObject([
      { type: 'Running', status: 'False', reason: 'PlainJobSuspended' },
      { type: 'Suspended', reason: 'PlainJobSuspended', message: 'PlainJob job is suspended.' },
    ]);
  });

  it.each(['All', 'Running', 'None', undefined] as const)('loses all pods and Services with policy %s', (policy) => {
    const runPolicy = { ...suspend, ...(policy && { cleanPodPolicy: policy }) };
    const { remove, create } = planOf({ ...suspended, runPolicy, status: statusAfter(running) });
    expect(namesOf(remove.pods)).toEqual(['job-worker-0', 'job-worker-1', 'job-worker-2']);
    expect(namesOf(remove.services)).toEqual(['job']);
    expect([create.pods, create.services].flat()).toEqual([]);
  });

  it('also loses objects created after its status write, without a second event', () => {
    const again = planOf({ ...suspended, status: statusAfter(running, suspended) });
    expect([again.status, again.events, again.counters, again.requeueAfterMs]).toEqual([undefined, [], [], undefined]);
    expect(again.remove.pods).toHaveLength(3);
  });

  it('reports once that the API server rejected its objects', () => {
    const invalidObject = { generation: 1, message: 'Job "job-launcher" is invalid: spec.template' };
    const status = statusAfter(running, suspended);
    const { events } = planOf({ ...gone, status, invalidObject });
    expect(events).toMatchObject([{ type: 'Warning', reason: 'FailedCreatePod' }]);
    const emitted = events.flatMap(({ dedupKey }) => dedupKey ?? []);
    expect(planOf({ ...gone, status, invalidObject, emittedEvents: emitted }).events).toEqual([]);
  });

  it('does not delete pods of other owners, nor terminating ones', () => {
    const others: PlainPod[] = [
      { index: 0, owner: { uid: 'other' } },
      { index: 1, owner: 'none' },
      { index: 2, deleted: -1 },
    ];
    expect(planOf({ ...suspended, pods: others }).remove.pods).toEqual([]);
  });

  it('has no counts and no deadline, but a start time, which clients expect', () => {
    const runPolicy = { ...suspend, activeDeadlineSeconds: 1 };
    const { status, requeueAfterMs } = planOf({ ...gone, runPolicy, writesSelector: true });
    expect(status).toMatchObject({ ready: '0/3', state: 'Suspended', observedGeneration: 1 });
    expect(status?.replicaStatuses?.Worker).toEqual({
      selector: expect.stringContaining('replica-type=worker') as string,
    });
    expect([status?.startTime, requeueAfterMs]).toEqual([at(gone.now ?? 0), undefined]);
    expect(planOf({ ...suspended, runPolicy, status: { startTime: at(-500) } }).status?.state).toBe('Suspended');
  });

  it('keeps its start time, but not the succeeded replicas', () => {
    const status = statusAfter(running, suspended);
    expect(status.startTime).toBe(at(-100));
    expect(status.replicaStatuses?.Worker?.succeededIndexes).toBeUndefined();
  });

  describe.each<[string, PlainWorld]>([
    ['was last recorded as running', running],
    ['is already recorded as suspended', suspended],
  ])('and %s', (_case, before) => {
    const status = statusAfter(before);
    const planWith = (...plain: PlainPod[]) => planOf({ status, pods: plain, runPolicy: suspend });

    it.each<[string, PlainPod, string]>([
      ['succeeded', { phase: 'Succeeded', exit: 0 }, 'Succeeded'],
      ['succeeded before it was deleted', { phase: 'Succeeded', exit: 0, ended: -50, deleted: -5 }, 'Succeeded'],
      ['failed for good', { phase: 'Failed', exit: 1 }, 'Failed'],
    ])('has ended when its pod had %s', (_what, pod, state) => {
      const { status: after, create, events } = planWith(pod);
      expect([after?.state, after?.completionTime, create.pods]).toEqual([state, at(0), []]);
      expect(events.map(({ reason }) => reason)).toEqual([`PlainJob${state}`]);
    });

    it.each<[string, PlainPod]>([
      ['runs', {}],
      ['failed and was to be recreated', { phase: 'Failed', exit: 137 }],
      ['ends because it is deleted', { phase: 'Succeeded', exit: 0, ended: -3, deleted: -5 }],
      ['fails because it is deleted', { phase: 'Failed', exit: 1, ended: -3, deleted: -5 }],
    ])('is suspended when its pod %s', (_what, pod) => {
      expect((planWith(pod).status ?? status).state).toBe('Suspended');
    });
  });

  it('deletes its pods as they were observed, so that an unobserved end is not lost', () => {
    expect(planOf(suspended).removesAsSeen).toBe(true);
  });

  it('stays finished if it was', () => {
    const status = statusAfter({ pods: [{ phase: 'Succeeded' }] });
    const plan = planOf({ status, pods: [{ phase: 'Succeeded' }], runPolicy: suspend });
    expect([plan.status, plan.remove.pods]).toEqual([undefined, []]);
  });
});

describe('planJob: a job that is resumed', () => {
  const resumed: PlainWorld = { workers: 3, runPolicy: { activeDeadlineSeconds: 60 }, pods: [] };

  it.each<[string, PlainWorld[], string[]]>([
    ['was created suspended', [gone], ['Created=True', 'Suspended=False']],
    ['ran before', [running, suspended], ['Created=True', 'Running=False', 'Suspended=False']],
  ])('has Suspended=False if it %s', (_case, before, conditions) => {
    const plan = planOf({ ...resumed, status: statusAfter(...before) });
    expect(conditionsOf(plan.status ?? {})).toEqual(conditions);
    expect(plan.status).toMatchObject({ state: 'Created', startTime: at(0) });
    expect(plan.events).toMatchObject([
      { reason: 'PlainJobResumed', note: 'PlainJob job is resumed.', type: 'Normal' },
    ]);
    expect([plan.counters, plan.create.pods.length]).toEqual([[], 3]);
  });

  it('then runs, and is not resumed twice', () => {
    const once = statusAfter(running, suspended, { ...resumed, pods });
    expect(conditionsOf(once)).toEqual(['Created=True', 'Suspended=False', 'Running=True']);
    const again = planOf({ ...resumed, pods, status: once, now: 5 });
    expect([again.status, again.events]).toEqual([undefined, []]);
  });

  it('has its full deadline again', () => {
    expect(planOf({ ...resumed, status: statusAfter(running, suspended) }).requeueAfterMs).toBe(60_000);
  });

  it('waits for terminating pods, which do not count as succeeded when they end', () => {
    const going: PlainPod[] = [0, 1, 2].map((index) => ({
      index,
      phase: 'Succeeded',
      exit: 0,
      ended: -3,
      deleted: -5,
    }));
    const { status, create } = planOf({ ...resumed, pods: going, status: statusAfter(running, suspended) });
    expect([status?.state, status?.replicaStatuses?.Worker, create.pods]).toEqual(['Created', {}, []]);
  });

  it('counts neither earlier failures of terminating pods again nor their deletion', () => {
    const restarted: PlainPod = { restartPolicy: 'OnFailure', restarts: 4 };
    const before = statusAfter({ pods: [restarted] }, { pods: [restarted], runPolicy: suspend });
    const going: PlainPod = { ...restarted, deleted: -5, phase: 'Failed', exit: 137, ended: -3 };
    const { status, counters } = planOf({ pods: [going], runPolicy: { backoffLimit: 4 }, status: before });
    expect([before.restartCount, status?.restartCount, counters]).toEqual([4, 4, []]);
  });

  it('restarts at once after its first failure, however often replicas failed before', () => {
    const failed: PlainPod = { phase: 'Failed', exit: 137 };
    const often: JobStatus = statusAfter(
      { pods: [{ ...failed, uid: 'a' }] },
      { pods: [{ ...failed, uid: 'b' }] },
      { pods: [{ ...failed, uid: 'c' }] },
    );
    expect(planOf({ status: often, pods: [{ ...failed, uid: 'd' }] }).remove.pods).toEqual([]);
    const afterResume = statusAfter({ status: often, pods: [], runPolicy: suspend }, { pods: [] });
    const { remove, status } = planOf({ status: afterResume, pods: [{ ...failed, uid: 'd' }] });
    expect([namesOf(remove.pods), status?.restartCount]).toEqual([['job-worker-0'], 4]);
  });
});
