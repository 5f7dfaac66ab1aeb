import type { JobStatus, RunPolicy } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { at, NOW, type PlainPod } from '../../test-support/plain-pod.ts';
import { conditionsOf, jobOf, namesOf, planOf, statusAfter } from '../../test-support/plain-world.ts';
import { reachedLimit, remainingActiveMs, wasEndedByLimit } from './run-limits.ts';

const BACKOFF = 'Job job has failed because it has reached the specified backoff limit';
const DEADLINE = 'Job job has failed because it was active longer than specified deadline';

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
    ['is none when the start time is invalid', { activeDeadlineSeconds: 1 }, { startTime: 'soon' }, 0, undefined],
    [
      'is the back-off limit when both are reached',
      { backoffLimit: 0, activeDeadlineSeconds: 1 },
      { startTime: at(-9) },
      1,
      BACKOFF,
    ],
  ])('%s', (_case, runPolicy, status, restartCount, limit) => {
    expect(reachedLimit(jobOf({ runPolicy, status }), restartCount, NOW)).toBe(limit);
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

describe('wasEndedByLimit', () => {
  it.each([
    ['the back-off limit', `${BACKOFF}. First: pod job-worker-0: Evicted`, true],
    ['the deadline', DEADLINE, true],
    ['a replica', 'PlainJob job is failed because 1 Worker replica(s) failed.', false],
    ["another job's limit, quoted", `worker said: ${DEADLINE}`, false],
  ])('detects whether a limit ended the job: %s', (_case, message, expected) => {
    const conditions = [{ type: 'Failed', status: 'True', message } as const];
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
