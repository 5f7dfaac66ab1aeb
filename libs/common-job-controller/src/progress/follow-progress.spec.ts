import type { FailureAction, JobProgress } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import type { ProbeResult } from '@muster/probes';
import { at, JOB as JOB_NAME, type PlainPod } from '../../test-support/plain-pod.ts';
import { conditionsOf, namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';

const PODS: readonly PlainPod[] = [
  { index: 0, address: '10.0.0.1' },
  { index: 1, address: '10.0.0.2' },
];
const JOB = { workers: 2, progressPort: 9000, runPolicy: { progressDeadlineSeconds: 100 }, pods: PODS };

/** The last answers of the workers: an answer, or the error without one. */
function resultsOf(...reported: readonly (object | string)[]): Map<string, ProbeResult> {
  const probeResults = reported.map((each): ProbeResult =>
    typeof each === 'string'
      ? { problem: each, failures: 1, triedMs: 0 }
      : { answer: { status: 200, body: each }, failures: 0, ageMs: 0, triedMs: 0, answeringMs: 20_000 },
  );
  return new Map(probeResults.map((result, index) => [`progress of uid-job-worker-${index}`, result]));
}

const reported = (now: number, ...each: readonly (object | string)[]): PlainWorld => ({
  ...JOB,
  now,
  probeResults: resultsOf(...each),
});
const progressAfter = (...worlds: readonly PlainWorld[]): JobProgress | undefined => statusAfter(...worlds).progress;
const STARTED = reported(0, { step: 1 }, { step: 1 });

describe('the progress of a job', () => {
  it('is polled from running pods at the port named progress', () => {
    const { probes = [] } = planOf(JOB);
    expect(probes.map(({ url }) => url)).toEqual([
      { namespace: 'team', pod: 'job-worker-0', address: '10.0.0.1', port: 9000, path: '/progress' },
      { namespace: 'team', pod: 'job-worker-1', address: '10.0.0.2', port: 9000, path: '/progress' },
    ]);
    expect(probes[0]).toMatchObject({ everyMs: 10_000, timeoutMs: 5000 });
  });

  it.each<[string, PlainWorld]>([
    ['does not set progressDeadlineSeconds', { ...JOB, runPolicy: {} }],
    ['waits for a pod', { ...JOB, pods: [PODS[0]!, { index: 1, phase: 'Pending' }] }],
    ['is suspended', { ...JOB, runPolicy: { ...JOB.runPolicy, suspend: true } }],
    ['has no such port', { ...JOB, progressPort: undefined as never }],
  ])('is not polled if the job %s', (_what, world) => {
    expect(planOf(world).probes ?? []).toEqual([]);
    expect(progressAfter(world)?.lastProgressTime).toBeUndefined();
  });

  it('warns once if no container has the port', () => {
    const world = { ...JOB, progressPort: undefined as never };
    const reasons = (emitted: string[]) =>
      planOf({ ...world, emittedEvents: emitted }).events.map(({ reason }) => reason);
    expect(reasons([])).toContain('ProgressNotReported');
    expect(reasons(['progress not reported'])).not.toContain('ProgressNotReported');
  });

  it('is that of the replica that is furthest', () => {
    const furthest = { step: 5, percent: 50, remainingSeconds: 60, metrics: { loss: 0.5 } };
    expect(progressAfter(reported(0, { step: 4 }, furthest))).toMatchObject({
      ...{ step: 5, percent: 50, estimatedRemainingSeconds: 60, metrics: { loss: 0.5 } },
      lastProgressTime: at(0),
    });
  });

  it('is written only a few times per deadline', () => {
    const step = (now: number) => reported(now, { step: now }, { step: now });
    expect(progressAfter(STARTED, step(24))).toMatchObject({ step: 1, lastProgressTime: at(0) });
    expect(progressAfter(STARTED, step(25))).toMatchObject({ step: 25, lastProgressTime: at(25) });
  });

  it('is awaited again from now on when the clock was set back', () => {
    const same = (now: number) => reported(now, { step: 1 }, { step: 1 });
    expect(progressAfter(same(3600), same(10))).toMatchObject({ step: 1, lastProgressTime: at(10) });
    expect(progressAfter(same(3600), same(10), same(110))?.message).toContain(`no progress for 100 s, since ${at(10)}`);
  });

  it.each<[string, PlainWorld[], message: string, index: number | undefined]>([
    [
      'the replica that is behind',
      [reported(100, { step: 1 }, { step: 0 })],
      'job-worker-1 (Worker 1) is behind, at step 0; the furthest is at step 1',
      1,
    ],
    [
      'a replica that does not answer',
      [reported(100, 'did not respond within 5 s', { step: 1 })],
      'job-worker-0 (Worker 0) is behind, not responding (did not',
      0,
    ],
    [
      'a replica whose answer has neither percent nor step',
      [reported(100, { step: 1 }, {})],
      'not responding (its response has neither',
      1,
    ],
    ['no replica if all are equal', [reported(100, { step: 1 }, { step: 1 })], 'all replicas are at step 1', undefined],
  ])('that stops is reported with %s', (_what, worlds, message, index) => {
    const progress = progressAfter(STARTED, ...worlds);
    expect(progress?.message).toContain(message);
    expect(progress?.message).toContain(`no progress for 100 s, since ${at(0)}`);
    expect(progress?.behind?.index).toBe(index);
  });

  it('that stops causes one Warning and no restart', () => {
    const status = statusAfter(STARTED);
    const stalled = { ...reported(100, { step: 1 }, { step: 0 }), status };
    const plan = planOf(stalled);
    expect(plan.events).toMatchObject([{ type: 'Warning', reason: 'NoProgress' }]);
    expect([plan.remove.pods, plan.create.pods]).toEqual([[], []]);
    const later = planOf({ ...reported(200, { step: 1 }, { step: 0 }), status: plan.status ?? {} });
    expect([later.events, later.status]).toEqual([[], undefined]);
  });

  it.each<[string, PlainWorld[]]>([
    ['before the deadline', [reported(99, { step: 1 }, { step: 1 })]],
    [
      'while one replica makes progress',
      [reported(99, { step: 1 }, { step: 2 }), reported(198, { step: 1 }, { step: 2 })],
    ],
    ['before a restarted operator has polled all replicas', [reported(500, { step: 1 })]],
    ['when it continues', [reported(100, { step: 1 }, { step: 1 }), reported(101, { step: 2 }, { step: 1 })]],
    ['when a pod was recreated', [{ ...STARTED, now: 100, pods: [PODS[0]!, { ...PODS[1]!, uid: 'another' }] }]],
    ['when a container was restarted', [{ ...STARTED, now: 100, pods: [PODS[0]!, { ...PODS[1]!, restarts: 1 }] }]],
    ['while a pod is missing', [{ ...STARTED, now: 100, pods: [PODS[0]!] }]],
  ])('has not stopped %s', (_what, worlds) => {
    expect(progressAfter(STARTED, ...worlds)?.message).toBeUndefined();
  });

  it('continues from a checkpoint if all replicas report that', () => {
    const far = reported(0, { step: 10 }, { step: 10 });
    expect(progressAfter(far, reported(50, { step: 3 }, { step: 3 }))).toMatchObject({
      step: 3,
      lastProgressTime: at(50),
    });
    expect(progressAfter(far, reported(50, { step: 3 }, 'silent'))).toMatchObject({
      step: 10,
      lastProgressTime: at(0),
    });
  });

  it('is polled from a few replicas, and from all after half of the deadline', () => {
    const many = (now: number): PlainWorld => ({
      ...{ ...JOB, workers: 100, now },
      pods: Array.from({ length: 100 }, (_pod, index) => ({ index, address: `10.0.0.${index}` })),
    });
    const status = statusAfter(many(0));
    const probesAt = (now: number) => planOf({ ...many(now), status }).probes?.length;
    expect([probesAt(49), probesAt(50)]).toEqual([32, 100]);
    expect(planOf({ ...many(10), status }).requeueAfterMs).toBe(40_000);
  });

  it('has not stopped if the clock was set forward, until half of the deadline was observed', () => {
    const later = (observedMs: number): PlainWorld => ({
      ...reported(3600, { step: 1 }, { step: 1 }),
      stateAges: new Map([[`no progress of ${JOB_NAME.uid} since ${at(0)}`, observedMs]]),
    });
    expect(progressAfter(STARTED, later(49_000))?.message).toBeUndefined();
    expect(planOf({ ...later(49_000), status: statusAfter(STARTED) }).requeueAfterMs).toBe(1000);
    expect(progressAfter(STARTED, later(50_000))?.message).toContain('no progress for 100 s');
    const silent = { ...later(49_000), probeResults: resultsOf('connect ETIMEDOUT', 'connect ETIMEDOUT') };
    expect(conditionsOf(statusAfter(STARTED, silent))).not.toContain('ProgressKnown=False');
  });

  it('causes no status write while nothing changes', () => {
    expect(planOf({ ...reported(1, { step: 1 }, { step: 1 }), status: statusAfter(STARTED) }).status).toBeUndefined();
  });
});

describe('a job whose replicas do not report progress', () => {
  const unknownOf = (...worlds: readonly PlainWorld[]) =>
    statusAfter(...worlds).conditions?.find(({ type }) => type === 'ProgressKnown');
  const withResults = (now: number, ...probeResults: readonly ProbeResult[]): PlainWorld => ({
    ...JOB,
    now,
    probeResults: new Map(probeResults.map((result, index) => [`progress of uid-job-worker-${index}`, result])),
  });
  const answered = (step: number, result: Partial<ProbeResult> = {}): ProbeResult => ({
    ...{ answer: { status: 200, body: { step } }, failures: 0, ageMs: 0, triedMs: 0, answeringMs: 20_000 },
    ...result,
  });
  const cutOff = answered(1, { problem: 'connect ETIMEDOUT', failures: 9, ageMs: 100_000, triedMs: 0 });

  it('waits for new answers if the operator was paused, and has unknown progress half a deadline later', () => {
    const old = answered(1, { ageMs: 100_000, triedMs: 100_000 });
    const stoodStill = (now: number) => withResults(now, old, old);
    expect(unknownOf(STARTED, stoodStill(100))).toBeUndefined();
    expect(planOf({ ...stoodStill(100), status: statusAfter(STARTED) }).requeueAfterMs).toBe(50_000);
    expect(unknownOf(STARTED, stoodStill(150))).toMatchObject({ status: 'False' });
  });

  it.each<[string, PlainWorld[]]>([
    ['was never reached', [reported(0), reported(100, 'connect ETIMEDOUT', 'connect ETIMEDOUT')]],
    ['is unreachable for the operator', [STARTED, withResults(100, cutOff, cutOff)]],
    ['answers without progress', [STARTED, reported(100, {}, {})]],
    [
      'has only answers that are older than half of the deadline',
      [STARTED, withResults(100, answered(1, { ageMs: 51_000 }), answered(1, { ageMs: 51_000 }))],
    ],
  ])('has unknown progress, and no rule applies, if it %s', (_what, worlds) => {
    const runPolicy = {
      ...JOB.runPolicy,
      failurePolicy: { rules: [{ action: 'RestartJob', onNoProgress: true } as const] },
    };
    const last = worlds.at(-1)!;
    const all = [...worlds, { ...last, now: 200 }].map((world) => ({ ...world, runPolicy }));
    const status = statusAfter(...all);
    expect(status.progress?.message).toBeUndefined();
    expect(status.restartCount ?? 0).toBe(0);
    expect(unknownOf(...all)).toMatchObject({ status: 'False', reason: 'ProgressUnknown' });
    expect(unknownOf(...all)?.message).toContain(`unknown since ${at(0)}`);
    expect(conditionsOf(status).at(-1)).toBe('Running=True');
  });

  it('is reported by one Warning and one status write', () => {
    const status = statusAfter(STARTED);
    const silent = (now: number) => reported(now, 'connect ETIMEDOUT', 'connect ETIMEDOUT');
    const plan = planOf({ ...silent(100), status });
    expect(plan.events).toMatchObject([{ type: 'Warning', reason: 'ProgressUnknown' }]);
    const later = planOf({ ...silent(200), status: plan.status! });
    expect([later.events, later.status]).toEqual([[], undefined]);
  });

  it('gets the whole deadline again when a replica answers', () => {
    const cut = [STARTED, withResults(100, cutOff, cutOff)];
    const back = reported(150, { step: 1 }, { step: 1 });
    expect(unknownOf(...cut, back)).toBeUndefined();
    expect(progressAfter(...cut, back)).toMatchObject({ step: 1, lastProgressTime: at(150) });
    expect(progressAfter(...cut, back, reported(249, { step: 1 }, { step: 1 }))?.message).toBeUndefined();
    expect(progressAfter(...cut, back, reported(250, { step: 1 }, { step: 1 }))?.message).toContain(
      'no progress for 100 s',
    );
  });

  it('reports a silent replica as behind only if another replica answered during its request', () => {
    const silent = { problem: 'did not respond within 5 s', failures: 3 };
    const early = [STARTED, withResults(100, { ...silent, triedMs: 3000 }, answered(1, { answeringMs: 7000 }))];
    const late = [STARTED, withResults(100, { ...silent, triedMs: 0 }, answered(1, { answeringMs: 7000 }))];
    expect([progressAfter(...early)?.message, unknownOf(...early)]).toEqual([undefined, undefined]);
    expect(progressAfter(...late)?.behind?.index).toBe(0);
  });
});

describe('the failure policy of a job that hangs', () => {
  const hanging = (action: FailureAction): PlainWorld => {
    const runPolicy = { ...JOB.runPolicy, failurePolicy: { rules: [{ action, onNoProgress: true }] } };
    const status = statusAfter({ ...STARTED, runPolicy }, { ...reported(100, { step: 1 }, { step: 0 }), runPolicy });
    return { ...reported(101, { step: 1 }, { step: 0 }), runPolicy, status };
  };

  it.each<[FailureAction, string[]]>([
    ['RestartJob', ['job-worker-0', 'job-worker-1']],
    ['RestartRole', ['job-worker-0', 'job-worker-1']],
    ['RestartReplica', ['job-worker-1']],
  ])('%s recreates pods, counts one restart, and names the replica that was behind', (action, deleted) => {
    const plan = planOf(hanging(action));
    expect(namesOf(plan.remove.pods)).toEqual(deleted);
    expect(plan.status).toMatchObject({ state: 'Restarting', restartCount: 1 });
    expect(plan.status?.progress?.message).toBeUndefined();
    const message = plan.status?.conditions?.find(({ type }) => type === 'Restarting')?.message;
    expect(message).toContain('job-worker-1 (Worker 1) is behind, at step 0');
  });

  it('FailJob fails the job', () => {
    const { status } = planOf(hanging('FailJob'));
    expect(status?.state).toBe('Failed');
    expect(status?.conditions?.at(-1)?.message).toContain('job-worker-1 (Worker 1) is behind');
  });

  it('does not match rules without onNoProgress', () => {
    const runPolicy = { ...JOB.runPolicy, failurePolicy: { rules: [{ action: 'RestartJob' as const }] } };
    const plan = planOf({ ...hanging('RestartJob'), runPolicy });
    expect(plan.remove.pods).toEqual([]);
  });

  it('does not apply after a pod was recreated', () => {
    const pods = [PODS[0]!, { ...PODS[1]!, uid: 'another' }];
    expect(planOf({ ...hanging('RestartJob'), pods }).remove.pods).toEqual([]);
  });
});
