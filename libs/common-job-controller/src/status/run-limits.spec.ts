import type { JobStatus, RunPolicy } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { at, NOW, type PlainPod } from '../../test-support/plain-pod.ts';
import { conditionsOf, jobOf, namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';
import { reachedLimit, remainingActiveMs, remainingStartMs, wasEndedByLimit } from './run-limits.ts';

const BACKOFF = 'Job job has failed because it has reached the specified backoff limit';
const DEADLINE = 'Job job has failed because it was active longer than specified deadline';
const START =
  'Job job has failed because not all of its replicas ran within 60 s (spec.runPolicy.startDeadlineSeconds)';

describe('reachedLimit', () => {
  it.each<[string, Partial<RunPolicy>, JobStatus, number, string | undefined]>([
    ['is none without limits', {}, { startTime: at(-9999) }, 9999, undefined],
    ['is none at the allowed number of restarts', { backoffLimit: 3 }, {}, 3, undefined],
    ['is the back-off limit at one restart more', { backoffLimit: 3 }, {}, 4, BACKOFF],
    ['is not reached by a job without restarts', { backoffLimit: 0 }, {}, 0, undefined],
    ['is the back-off limit at the first restart where none is allowed', { backoffLimit: 0 }, {}, 1, BACKOFF],
    ['is none before the deadline', { activeDeadlineSeconds: 60 }, { startTime: at(-59) }, 0, undefined],
    ['is the deadline from its second on', { activeDeadlineSeconds: 60 }, { startTime: at(-60) }, 0, DEADLINE],
    ['is the deadline, even if detected late', { activeDeadlineSeconds: 60 }, { startTime: at(-86_400) }, 0, DEADLINE],
    ['is none before the job has started', { activeDeadlineSeconds: 0 }, {}, 0, undefined],
    ['is none before the start deadline', { startDeadlineSeconds: 60 }, { startTime: at(-59) }, 0, undefined],
    ['is the start deadline from its second on', { startDeadlineSeconds: 60 }, { startTime: at(-60) }, 0, START],
    [
      'is none for a job whose replicas have run',
      { startDeadlineSeconds: 60 },
      { startTime: at(-60), allRunningTime: at(-30) },
      0,
      undefined,
    ],
    [
      'is none for an elastic job whose minimum has run',
      { startDeadlineSeconds: 60 },
      { startTime: at(-60), minimumRunningTime: at(-30) },
      0,
      undefined,
    ],
    [
      'is the deadline of the run when both deadlines have passed',
      { startDeadlineSeconds: 60, activeDeadlineSeconds: 60 },
      { startTime: at(-60) },
      0,
      DEADLINE,
    ],
    ['is none when the start time is invalid', { activeDeadlineSeconds: 1 }, { startTime: 'soon' }, 0, undefined],
    [
      'is the back-off limit when both are reached',
      { backoffLimit: 0, activeDeadlineSeconds: 1 },
      { startTime: at(-9) },
      1,
      BACKOFF,
    ],
  ])('%s', (_case, runPolicy, status, restartCount, limit) => {
    expect(reachedLimit(jobOf({ runPolicy, status }), restartCount, NOW)?.message).toBe(limit);
  });
});

describe('remainingActiveMs', () => {
  it.each<[string, Partial<RunPolicy>, JobStatus, number | undefined]>([
    ['is the time from now to the deadline', { activeDeadlineSeconds: 90 }, { startTime: at(-30) }, 60_000],
    ["may be longer than a timer's maximum", { activeDeadlineSeconds: 1e8 }, { startTime: at(0) }, 1e11],
    ['is unknown without a deadline', {}, { startTime: at(-30) }, undefined],
    ['is unknown before the start', { activeDeadlineSeconds: 90 }, {}, undefined],
    [
      'is unknown, not NaN, when the start time is invalid',
      { activeDeadlineSeconds: 90 },
      { startTime: '?' },
      undefined,
    ],
  ])('%s', (_case, runPolicy, status, remainingMs) => {
    expect(remainingActiveMs(jobOf({ runPolicy, status }), NOW)).toBe(remainingMs);
  });
});

describe('remainingStartMs', () => {
  it.each<[string, JobStatus, number | undefined]>([
    ['is the time from now to the deadline', { startTime: at(-30) }, 60_000],
    ['is unknown before the start', {}, undefined],
    ['is unknown once all replicas have run', { startTime: at(-30), allRunningTime: at(-20) }, undefined],
    ['is unknown once enough replicas have run', { startTime: at(-30), minimumRunningTime: at(-20) }, undefined],
  ])('%s', (_case, status, remainingMs) => {
    expect(remainingStartMs(jobOf({ runPolicy: { startDeadlineSeconds: 90 }, status }), NOW)).toBe(remainingMs);
  });
});

describe('wasEndedByLimit', () => {
  it.each([
    ['the back-off limit', `${BACKOFF}. First: pod job-worker-0: Evicted`, true],
    ['the deadline', DEADLINE, true],
    ['the start deadline', `${START}: 1 of 2 run.`, true, 'StartDeadlineExceeded'],
    ['a replica', 'PlainJob job is failed because 1 Worker replica(s) failed.', false],
    ["another job's limit, quoted", `worker said: ${DEADLINE}`, false],
  ])('detects whether a limit ended the job: %s', (_case, message, expected, reason = 'PlainJobFailed') => {
    const conditions = [{ type: 'Failed', status: 'True', reason, message } as const];
    expect(wasEndedByLimit(jobOf({ status: { conditions } }))).toBe(expected);
  });
});

describe('planJob: limits', () => {
  const pods: PlainPod[] = [{ index: 0 }, { index: 1, phase: 'Pending' }, { index: 2, phase: 'Succeeded' }];
  const runPolicy = { activeDeadlineSeconds: 100 };

  it('requeues the job at its deadline, even if the operator has just started', () => {
    const status = { startTime: at(-40) };
    expect(planOf({ workers: 3, runPolicy, pods, status }).requeueAfterMs).toBe(60_000);
  });

  it('ends at the deadline with one condition and a completion time, and active pods are deleted although pods are kept', () => {
    const status = { ...statusAfter({ workers: 3, runPolicy, pods, now: -100 }) };
    const plan = planOf({ workers: 3, runPolicy: { ...runPolicy, cleanPodPolicy: 'None' }, pods, status });
    expect(conditionsOf(plan.status ?? {})).toEqual(['Created=True', 'Running=False', 'Failed=True']);
    expect(plan.status).toMatchObject({
      completionTime: at(0),
      ready: '1/3',
      replicaStatuses: { Worker: { succeeded: 1 } },
    });
    expect(plan.status?.replicaStatuses?.Worker?.active).toBeUndefined();
    expect(namesOf(plan.remove.pods)).toEqual(['job-worker-0', 'job-worker-1']);
    expect([plan.counters, plan.create.pods, plan.requeueAfterMs]).toEqual([['failed'], [], undefined]);
  });

  it('prefers the end reached by the replicas to a limit reached at the same time', () => {
    const done: PlainPod[] = [{ index: 0, phase: 'Succeeded' }];
    const { status } = planOf({ runPolicy, pods: done, status: { startTime: at(-500) } });
    expect(status?.state).toBe('Succeeded');
  });

  it('does not count the restart that the limit prevents, and reports the failure', () => {
    const failed: PlainPod[] = [{ exit: 137, phase: 'Failed' }];
    const { status, counters, remove } = planOf({ runPolicy: { backoffLimit: 0 }, pods: failed });
    expect(status).toMatchObject({ state: 'Failed', restartCount: 0 });
    expect(status?.conditions?.at(-1)?.message).toBe(
      `${BACKOFF}. First: pod job-worker-0, container main: exit code 137`,
    );
    expect([counters, remove.pods]).toEqual([['created', 'failed'], []]);
  });

  it.each<[string, PlainPod, backoffLimit: number, state: string]>([
    ['counts restarts in place', { restarts: 3 }, 2, 'Failed'],
    ['counts restarts of init containers', { phase: 'Pending', initRestarts: 3 }, 2, 'Failed'],
    ['does not count sidecars', { sidecarRestarts: 30 }, 2, 'Running'],
    ['does not count disruptions', { phase: 'Failed', disrupted: true }, 0, 'Restarting'],
  ])('%s towards the back-off limit', (_case, pod, backoffLimit, state) => {
    const pods: PlainPod[] = [{ restartPolicy: 'OnFailure', ...pod }];
    expect(planOf({ runPolicy: { backoffLimit }, pods }).status?.state).toBe(state);
  });
});

describe('planJob: start deadline', () => {
  const runPolicy = { startDeadlineSeconds: 100 };
  const some: PlainPod[] = [{ index: 0 }, { index: 1, phase: 'Pending', unplaced: '0/4 nodes are available' }];
  const waiting: PlainWorld = { workers: 3, runPolicy, pods: some };
  const failed = (plain: PlainWorld) => planOf(plain).status?.conditions?.find(({ type }) => type === 'Failed');

  it('requeues the job at its start deadline, even if the operator has just started', () => {
    expect(planOf({ ...waiting, status: { startTime: at(-40) } }).requeueAfterMs).toBe(60_000);
  });

  it('fails a job whose replicas do not all run in time, with the reason why they wait, and deletes its pods', () => {
    const status = statusAfter({ ...waiting, now: -100 });
    const plan = planOf({ ...waiting, runPolicy: { ...runPolicy, cleanPodPolicy: 'None' }, status });
    expect(plan.status).toMatchObject({ state: 'Failed', completionTime: at(0) });
    expect(failed({ ...waiting, status })).toMatchObject({
      reason: 'StartDeadlineExceeded',
      message:
        'Job job has failed because not all of its replicas ran within 100 s (spec.runPolicy.startDeadlineSeconds): 1 of 3 run. ' +
        'Unschedulable: Pod job-worker-1 cannot be placed on a node: 0/4 nodes are available',
    });
    expect(plan.events).toMatchObject([{ type: 'Warning', reason: 'StartDeadlineExceeded' }]);
    expect(namesOf(plan.remove.pods)).toEqual(['job-worker-0', 'job-worker-1']);
    expect([plan.counters, plan.create.pods, plan.requeueAfterMs]).toEqual([['failed'], [], undefined]);
  });

  it('fails a job whose pods the API server rejects', () => {
    const conditions = [
      { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' } as const,
    ];
    const { message } = failed({ workers: 2, runPolicy, status: { startTime: at(-100), conditions } }) ?? {};
    expect(message).toMatch(/: 0 of 2 run\. FailedCreate: exceeded quota$/);
  });

  it.each<[string, readonly PlainPod[], PlainPod['phase']]>([
    ['all run', [{}, { index: 1 }], 'Running'],
    ['one has succeeded', [{}, { index: 1, phase: 'Succeeded' }], 'Running'],
  ])('does not apply to a job whose replicas are first observed to run after it: %s', (_case, pods, state) => {
    const { status, requeueAfterMs } = planOf({ workers: 2, runPolicy, pods, status: { startTime: at(-500) } });
    expect([status?.state, status?.minimumRunningTime, requeueAfterMs]).toEqual([state, at(0), undefined]);
  });

  it('does not apply once all replicas have run, whatever they wait for later', () => {
    const status = statusAfter({ workers: 2, runPolicy, pods: [{}, { index: 1 }], now: -90 });
    expect(planOf({ ...waiting, workers: 2, status, now: 500 }).status?.state).not.toBe('Failed');
  });

  it.each<[string, ended: number, 'Restarting' | 'Failed']>([
    ['restarts a replica that failed after all had started, while no operator ran', -20, 'Restarting'],
    ['ends a job with a replica that failed before all had started', -40, 'Failed'],
  ])('%s', (_case, ended, state) => {
    const pods: PlainPod[] = [{ started: -30 }, { index: 1, phase: 'Failed', exit: 137, started: -50, ended }];
    const { status } = planOf({ workers: 2, runPolicy, pods, status: { startTime: at(-500) } });
    expect(status?.state).toBe(state);
  });

  it('counts from the resumption of a suspended job', () => {
    const ran = statusAfter({ workers: 2, runPolicy, pods: [{}, { index: 1 }], now: -900 });
    const suspended = statusAfter({ workers: 2, runPolicy: { ...runPolicy, suspend: true }, status: ran, now: -800 });
    const resumed = statusAfter({ workers: 2, runPolicy, status: suspended, now: -100 });
    expect(planOf({ workers: 2, runPolicy, status: resumed, pods: some, now: -1 }).requeueAfterMs).toBe(1000);
    expect(planOf({ workers: 2, runPolicy, status: resumed, pods: some }).status?.state).toBe('Failed');
  });
});
