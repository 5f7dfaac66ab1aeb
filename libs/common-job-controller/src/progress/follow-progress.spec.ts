import type { FailureAction, JobProgress } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import type { Fact } from '../model/fact.ts';
import { at, type PlainPod } from '../../test-support/plain-pod.ts';
import { conditionsOf, namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';

const PODS: readonly PlainPod[] = [
  { index: 0, address: '10.0.0.1' },
  { index: 1, address: '10.0.0.2' },
];
const JOB = { workers: 2, progressPort: 9000, runPolicy: { progressDeadlineSeconds: 100 }, pods: PODS };

/** What each worker said a moment ago, and before: an answer, or why there was none. */
function factsOf(...said: readonly (object | string)[]): Map<string, Fact> {
  const facts = said.map((each): Fact =>
    typeof each === 'string'
      ? { problem: each, failures: 1, triedMs: 0 }
      : { answer: { status: 200, body: each }, failures: 0, ageMs: 0, triedMs: 0, answeringMs: 20_000 },
  );
  return new Map(facts.map((fact, index) => [`progress of uid-job-worker-${index}`, fact]));
}

/** At the time `now`, in seconds. */
const said = (now: number, ...each: readonly (object | string)[]): PlainWorld => ({
  ...JOB,
  now,
  facts: factsOf(...each),
});
const progressAfter = (...worlds: readonly PlainWorld[]): JobProgress | undefined => statusAfter(...worlds).progress;
const BEGUN = said(0, { step: 1 }, { step: 1 });

describe('the progress of a job', () => {
  it('is asked of running pods at the port that is named for it', () => {
    const { questions = [] } = planOf(JOB);
    expect(questions.map(({ url }) => url)).toEqual([
      { namespace: 'team', pod: 'job-worker-0', address: '10.0.0.1', port: 9000, path: '/progress' },
      { namespace: 'team', pod: 'job-worker-1', address: '10.0.0.2', port: 9000, path: '/progress' },
    ]);
    expect(questions[0]).toMatchObject({ everyMs: 10_000, timeoutMs: 5000 });
  });

  it.each<[string, PlainWorld]>([
    ['does not ask for it', { ...JOB, runPolicy: {} }],
    ['waits for one of its pods', { ...JOB, pods: [PODS[0]!, { index: 1, phase: 'Pending' }] }],
    ['is suspended', { ...JOB, runPolicy: { ...JOB.runPolicy, suspend: true } }],
    ['has no such port', { ...JOB, progressPort: undefined as never }],
  ])('is asked of nobody when the job %s', (_what, world) => {
    expect(planOf(world).questions ?? []).toEqual([]);
    expect(progressAfter(world)?.lastProgressTime).toBeUndefined();
  });

  it('is told to be asked of nobody once, where no container has the port', () => {
    const world = { ...JOB, progressPort: undefined as never };
    const reasons = (told: string[]) => planOf({ ...world, told }).events.map(({ reason }) => reason);
    expect(reasons([])).toContain('NothingTellsProgress');
    expect(reasons(['nothing tells progress'])).not.toContain('NothingTellsProgress');
  });

  it('is what the furthest says', () => {
    const told = { step: 5, percent: 50, remainingSeconds: 60, metrics: { loss: 0.5 } };
    expect(progressAfter(said(0, { step: 4 }, told))).toMatchObject({
      ...{ step: 5, percent: 50, estimatedRemainingSeconds: 60, metrics: { loss: 0.5 } },
      lastProgressTime: at(0),
    });
  });

  it('is written down a few times within the deadline only', () => {
    const step = (now: number) => said(now, { step: now }, { step: now });
    expect(progressAfter(BEGUN, step(24))).toMatchObject({ step: 1, lastProgressTime: at(0) });
    expect(progressAfter(BEGUN, step(25))).toMatchObject({ step: 25, lastProgressTime: at(25) });
  });

  it.each<[string, PlainWorld[], message: string, index: number | undefined]>([
    [
      'the last one',
      [said(100, { step: 1 }, { step: 0 })],
      'job-worker-1 (Worker 1) is behind, at step 0; the furthest is at step 1',
      1,
    ],
    [
      'one that is silent',
      [said(100, 'did not answer in 5 s', { step: 1 })],
      'job-worker-0 (Worker 0) is behind, silent (did not',
      0,
    ],
    ['one whose answer says nothing', [said(100, { step: 1 }, {})], 'silent (its answer has neither', 1],
    ['nobody, when all are equal', [said(100, { step: 1 }, { step: 1 })], 'all replicas are at step 1', undefined],
  ])('that stops names %s', (_what, worlds, message, index) => {
    const progress = progressAfter(BEGUN, ...worlds);
    expect(progress?.message).toContain(message);
    expect(progress?.message).toContain(`no progress for 100 s, since ${at(0)}`);
    expect(progress?.behind?.index).toBe(index);
  });

  it('that stops is told by one Warning, and nothing is restarted', () => {
    const status = statusAfter(BEGUN);
    const stalled = { ...said(100, { step: 1 }, { step: 0 }), status };
    const plan = planOf(stalled);
    expect(plan.events).toMatchObject([{ type: 'Warning', reason: 'NoProgress' }]);
    expect([plan.remove.pods, plan.create.pods]).toEqual([[], []]);
    const later = planOf({ ...said(200, { step: 1 }, { step: 0 }), status: plan.status ?? {} });
    expect([later.events, later.status]).toEqual([[], undefined]);
  });

  it.each<[string, PlainWorld[]]>([
    ['before the deadline', [said(99, { step: 1 }, { step: 1 })]],
    ['as long as one goes on', [said(99, { step: 1 }, { step: 2 }), said(198, { step: 1 }, { step: 2 })]],
    ['before all were asked by an operator that starts anew', [said(500, { step: 1 })]],
    ['when it goes on after all', [said(100, { step: 1 }, { step: 1 }), said(101, { step: 2 }, { step: 1 })]],
    [
      'when another pod has come in place of one',
      [{ ...BEGUN, now: 100, pods: [PODS[0]!, { ...PODS[1]!, uid: 'another' }] }],
    ],
    ['when the program was started again', [{ ...BEGUN, now: 100, pods: [PODS[0]!, { ...PODS[1]!, restarts: 1 }] }]],
    ['while a pod is missing', [{ ...BEGUN, now: 100, pods: [PODS[0]!] }]],
  ])('has not stopped %s', (_what, worlds) => {
    expect(progressAfter(BEGUN, ...worlds)?.message).toBeUndefined();
  });

  it('that falls back to a checkpoint goes on from there, by the word of all', () => {
    const far = said(0, { step: 10 }, { step: 10 });
    expect(progressAfter(far, said(50, { step: 3 }, { step: 3 }))).toMatchObject({ step: 3, lastProgressTime: at(50) });
    expect(progressAfter(far, said(50, { step: 3 }, 'silent'))).toMatchObject({ step: 10, lastProgressTime: at(0) });
  });

  it('is asked of a few, and of all when it matters who is behind', () => {
    const many = (now: number): PlainWorld => ({
      ...{ ...JOB, workers: 100, now },
      pods: Array.from({ length: 100 }, (_pod, index) => ({ index, address: `10.0.0.${index}` })),
    });
    const status = statusAfter(many(0));
    const askedAt = (now: number) => planOf({ ...many(now), status }).questions?.length;
    expect([askedAt(49), askedAt(50)]).toEqual([32, 100]);
    expect(planOf({ ...many(10), status }).requeueAfterMs).toBe(40_000);
  });

  it('costs no write while nothing changes', () => {
    expect(planOf({ ...said(1, { step: 1 }, { step: 1 }), status: statusAfter(BEGUN) }).status).toBeUndefined();
  });
});

describe('a job whose progress nobody reports', () => {
  const unknownOf = (...worlds: readonly PlainWorld[]) =>
    statusAfter(...worlds).conditions?.find(({ type }) => type === 'ProgressKnown');
  const withFacts = (now: number, ...facts: readonly Fact[]): PlainWorld => ({
    ...JOB,
    now,
    facts: new Map(facts.map((fact, index) => [`progress of uid-job-worker-${index}`, fact])),
  });
  const answered = (step: number, fact: Partial<Fact> = {}): Fact => ({
    ...{ answer: { status: 200, body: { step } }, failures: 0, ageMs: 0, triedMs: 0, answeringMs: 20_000 },
    ...fact,
  });
  const cutOff = answered(1, { problem: 'connect ETIMEDOUT', failures: 9, ageMs: 100_000, triedMs: 0 });

  it('waits for new answers when the operator stood still, and has unknown progress half a deadline later without them', () => {
    const old = answered(1, { ageMs: 100_000, triedMs: 100_000 });
    const stoodStill = (now: number) => withFacts(now, old, old);
    expect(unknownOf(BEGUN, stoodStill(100))).toBeUndefined();
    expect(planOf({ ...stoodStill(100), status: statusAfter(BEGUN) }).requeueAfterMs).toBe(50_000);
    expect(unknownOf(BEGUN, stoodStill(150))).toMatchObject({ status: 'False' });
  });

  it.each<[string, PlainWorld[]]>([
    ['has never been reached', [said(0), said(100, 'connect ETIMEDOUT', 'connect ETIMEDOUT')]],
    ['is cut off from its operator', [BEGUN, withFacts(100, cutOff, cutOff)]],
    ['answers with nothing that is progress', [BEGUN, said(100, {}, {})]],
    [
      'has only answers that are older than half of the deadline',
      [BEGUN, withFacts(100, answered(1, { ageMs: 51_000 }), answered(1, { ageMs: 51_000 }))],
    ],
  ])('has unknown progress when it %s, and no rule applies', (_what, worlds) => {
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

  it('is reported by one Warning, and by one write', () => {
    const status = statusAfter(BEGUN);
    const silent = (now: number) => said(now, 'connect ETIMEDOUT', 'connect ETIMEDOUT');
    const plan = planOf({ ...silent(100), status });
    expect(plan.events).toMatchObject([{ type: 'Warning', reason: 'ProgressUnknown' }]);
    const later = planOf({ ...silent(200), status: plan.status! });
    expect([later.events, later.status]).toEqual([[], undefined]);
  });

  it('has its whole deadline again once a replica answers', () => {
    const cut = [BEGUN, withFacts(100, cutOff, cutOff)];
    const back = said(150, { step: 1 }, { step: 1 });
    expect(unknownOf(...cut, back)).toBeUndefined();
    expect(progressAfter(...cut, back)).toMatchObject({ step: 1, lastProgressTime: at(150) });
    expect(progressAfter(...cut, back, said(249, { step: 1 }, { step: 1 }))?.message).toBeUndefined();
    expect(progressAfter(...cut, back, said(250, { step: 1 }, { step: 1 }))?.message).toContain(
      'no progress for 100 s',
    );
  });

  it('blames a silent replica only after it was asked while another one answered', () => {
    const silent = { problem: 'did not answer in 5 s', failures: 3 };
    const early = [BEGUN, withFacts(100, { ...silent, triedMs: 3000 }, answered(1, { answeringMs: 7000 }))];
    const late = [BEGUN, withFacts(100, { ...silent, triedMs: 0 }, answered(1, { answeringMs: 7000 }))];
    expect([progressAfter(...early)?.message, unknownOf(...early)]).toEqual([undefined, undefined]);
    expect(progressAfter(...late)?.behind?.index).toBe(0);
  });
});

describe('a job that hangs, by its failure policy', () => {
  const hanging = (action: FailureAction): PlainWorld => {
    const runPolicy = { ...JOB.runPolicy, failurePolicy: { rules: [{ action, onNoProgress: true }] } };
    const status = statusAfter({ ...BEGUN, runPolicy }, { ...said(100, { step: 1 }, { step: 0 }), runPolicy });
    return { ...said(101, { step: 1 }, { step: 0 }), runPolicy, status };
  };

  it.each<[FailureAction, string[]]>([
    ['RestartJob', ['job-worker-0', 'job-worker-1']],
    ['RestartRole', ['job-worker-0', 'job-worker-1']],
    ['RestartReplica', ['job-worker-1']],
  ])('%s recreates pods, counts once, and names who was behind', (action, deleted) => {
    const plan = planOf(hanging(action));
    expect(namesOf(plan.remove.pods)).toEqual(deleted);
    expect(plan.status).toMatchObject({ state: 'Restarting', restartCount: 1 });
    expect(plan.status?.progress?.message).toBeUndefined();
    const told = plan.status?.conditions?.find(({ type }) => type === 'Restarting')?.message;
    expect(told).toContain('job-worker-1 (Worker 1) is behind, at step 0');
  });

  it('FailJob ends it', () => {
    const { status } = planOf(hanging('FailJob'));
    expect(status?.state).toBe('Failed');
    expect(status?.conditions?.at(-1)?.message).toContain('job-worker-1 (Worker 1) is behind');
  });

  it('is left alone by rules for other failures, also by one for all of them', () => {
    const runPolicy = { ...JOB.runPolicy, failurePolicy: { rules: [{ action: 'RestartJob' as const }] } };
    const plan = planOf({ ...hanging('RestartJob'), runPolicy });
    expect(plan.remove.pods).toEqual([]);
  });

  it('is another matter once its pods are others', () => {
    const pods = [PODS[0]!, { ...PODS[1]!, uid: 'another' }];
    expect(planOf({ ...hanging('RestartJob'), pods }).remove.pods).toEqual([]);
  });
});
