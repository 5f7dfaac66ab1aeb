/**
 * Follows how far a job is, by the words of its programs (`runPolicy.progressDeadlineSeconds`). The deadline runs while all replicas
 * do that the job needs, and begins anew with every other set of pods; it is over when none of the replicas has come further than the
 * furthest was. What is on record in the status is all that is remembered, so another operator goes on where this one was.
 */
import type { EventReason, JobProgress, ReplicaBehind } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { momentOf } from '../model/moment-of.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { Decision } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import { earliest } from '../model/requeue.ts';
import type { World } from '../world/world.ts';
import { hasUnknownProgress, unknownBefore } from './progress-known.ts';
import type { Fact } from '../model/fact.ts';
import { timestamp } from '../model/conditions.ts';
import { runsOf } from './hanging-replica.ts';
import { readProgress, type ToldProgress } from './progress-answer.ts';
import { askedReplicas, progressPort, progressQuestion, questionName, tellingReplicas } from './progress-questions.ts';

/** However long the deadline is, progress is written down no later than so long after it was told. */
const LONGEST_PACE_MS = 30_000;

/** Of what somebody else says, in characters. */
const LONGEST_WORDS = 300;

interface FollowedProgress extends Pick<Decision, 'questions' | 'requeueAfterMs'> {
  readonly progress: JobProgress | undefined;
  /** Why it is not known whether the job makes progress, though its deadline is over. */
  readonly unknown?: string | undefined;
  readonly events: readonly PlannedEvent[];
}

/** What a replica has said, and why it has not said more. */
interface Heard extends ToldProgress {
  readonly replica: ReplicaPod;
  readonly isAsked: boolean;
  readonly problem?: string;
  readonly fact: Fact | undefined;
}

export function followProgress(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  replicas: readonly ReplicaPod[],
  world: World,
): FollowedProgress {
  const { progressDeadlineSeconds } = job.runPolicy;
  if (progressDeadlineSeconds === undefined) return { progress: undefined, events: [], requeueAfterMs: undefined };
  const { progress: before } = job.status;
  const { nowMs } = world;
  const events = nobodyTells(job, world);
  const telling = tellingReplicas(replicas);
  if (telling.length === 0 || !isWhole(adapter, job, replicas)) {
    return { progress: before && standstill(before), events, requeueAfterMs: undefined };
  }
  const deadlineMs = progressDeadlineSeconds * 1000;
  const pods = runsOf(telling);
  const sinceMs = momentOf(before?.lastProgressTime);
  const heard = telling.map((replica) => heardOf(replica, world));
  const isOther = before === undefined || before.pods !== pods || sinceMs === undefined;
  const moment = { heard, sinceMs: sinceMs ?? nowMs, deadlineMs, nowMs };
  const unknown = isOther ? undefined : whyUnknown(before, moment);
  // What nobody could say is held against no job: once a replica answers again, the deadline starts again.
  const isKnownAgain = unknown === undefined && hasUnknownProgress(job.status) && answering(moment).length > 0;
  const present =
    isOther || isKnownAgain
      ? { ...withTold(standstill(before ?? {}), furthest(heard)), lastProgressTime: timestamp(nowMs), pods }
      : nextProgress(before, moment);
  const overMs = (momentOf(present.lastProgressTime) ?? nowMs) + deadlineMs - nowMs;
  const allAskedMs = overMs - deadlineMs / 2;
  const asked = askedReplicas(telling, allAskedMs <= 0);
  return {
    progress: present,
    unknown: isOther || isKnownAgain ? undefined : (unknown ?? unknownBefore(job.status)),
    events,
    questions: asked.map((replica) => progressQuestion(replica, deadlineMs)),
    requeueAfterMs: earliest(...[overMs, allAskedMs, overMs + deadlineMs / 2].filter((inMs) => inMs > 0)),
  };
}

/** Also of replicas that may be fewer: a job that is elastic goes on with its least number. */
function isWhole(adapter: FrameworkAdapter, job: TrainingJob, replicas: readonly ReplicaPod[]): boolean {
  const least = adapter.elastic?.bounds(job)?.min ?? replicas.length;
  return replicas.filter(({ state }) => state === 'running' || state === 'succeeded').length >= least;
}

/** What is shown of a job that is not followed for now. */
function standstill({
  lastProgressTime: _time,
  pods: _pods,
  message: _message,
  behind: _behind,
  ...shown
}: JobProgress) {
  return shown;
}

function heardOf(replica: ReplicaPod, { facts }: World): Heard {
  const fact = facts.get(questionName(replica));
  const told = fact?.answer && readProgress(fact.answer);
  if (typeof told === 'string') return { replica, fact, isAsked: true, problem: told };
  return {
    replica,
    fact,
    isAsked: fact !== undefined,
    ...told,
    ...(fact?.problem !== undefined && { problem: fact.problem }),
  };
}

interface Moment {
  readonly heard: readonly Heard[];
  readonly sinceMs: number;
  readonly deadlineMs: number;
  readonly nowMs: number;
}

/** Of the same pods as before. */
function nextProgress(before: JobProgress, { heard, sinceMs, deadlineMs, nowMs }: Moment): JobProgress {
  const { lastProgressTime: _time, pods = '' } = before;
  const first = furthest(heard);
  const asked = askedReplicas(
    heard.map(({ replica }) => replica),
    false,
  );
  const always = heard.filter(({ replica }) => asked.includes(replica));
  if (first !== undefined && (isFurther(first, before) || beganAnew(first, before, always))) {
    const isDue = before.message !== undefined || nowMs - sinceMs >= Math.min(LONGEST_PACE_MS, deadlineMs / 4);
    return isDue ? { ...withTold({}, first), lastProgressTime: timestamp(nowMs), pods } : before;
  }
  if (nowMs - sinceMs < deadlineMs || before.message !== undefined) return before;
  // An operator that starts again has not asked yet, and one that was cut off has old answers.
  const moment = { heard, sinceMs, deadlineMs, nowMs };
  const fresh = answering(moment);
  const isKnown = (each: Heard) => fresh.includes(each) || (each.isAsked && isSilentBeside(each, fresh, deadlineMs));
  if (fresh.length === 0 || !always.every(isKnown)) return before;
  return { ...before, ...noProgress(heard.filter(isKnown), deadlineMs / 1000, timestamp(sinceMs)) };
}

/** Those that have answered the newest question, within the half of the deadline in which all are asked. */
function answering({ heard, deadlineMs }: Moment): readonly Heard[] {
  return heard.filter(
    ({ isAsked, problem, fact }) => isAsked && problem === undefined && (fact?.ageMs ?? 0) <= deadlineMs / 2,
  );
}

/** Whether a question to it began, and failed, while another replica answered: then the operator can reach pods. */
function isSilentBeside({ replica, fact }: Heard, fresh: readonly Heard[], deadlineMs: number): boolean {
  if (fact?.problem === undefined) return fact?.answer !== undefined;
  const begunMs = (fact.triedMs ?? Infinity) + progressQuestion(replica, deadlineMs).timeoutMs;
  return fresh.some((other) => (other.fact?.answeringMs ?? 0) >= begunMs);
}

/**
 * The deadline is over, all that are always asked were asked of late, and none has answered. An operator that stood still, or has no room for
 * a question, gets half a deadline more to ask.
 */
function whyUnknown(before: JobProgress, moment: Moment): string | undefined {
  const { heard, sinceMs, deadlineMs, nowMs } = moment;
  const always = askedReplicas(
    heard.map(({ replica }) => replica),
    false,
  );
  const isAskedOfLate = ({ fact }: Heard) => fact !== undefined && (fact.triedMs ?? 0) <= deadlineMs / 2;
  const areAsked = heard.every((each) => isAskedOfLate(each) || !always.includes(each.replica));
  const dueMs = areAsked ? deadlineMs : 1.5 * deadlineMs;
  if (nowMs - sinceMs < dueMs || before.message !== undefined) return undefined;
  if (answering(moment).length > 0) return undefined;
  return (
    `Progress is unknown since ${timestamp(sinceMs)}: no replica reports it to the operator; ${reasonOf(heard)}. ` +
    'Nothing is restarted for that. Check network policies and the program (docs/users/progress.md).'
  );
}

/** Whether a program is back at where it was a while ago, as after a checkpoint was read: all have said where they are. */
function beganAnew(first: ToldProgress, before: JobProgress, always: readonly Heard[]): boolean {
  return isFurther(before, first) && always.every(({ isAsked, problem }) => isAsked && problem === undefined);
}

/** Steps count before percents, which may be the rounded ones of the same step. */
function isFurther(
  one: Pick<ToldProgress, 'step' | 'percent'>,
  other: Pick<ToldProgress, 'step' | 'percent'>,
): boolean {
  if (one.step !== undefined && other.step !== undefined && one.step !== other.step) return one.step > other.step;
  return (one.percent ?? -1) > (other.percent ?? -1) || (one.step !== undefined && other.step === undefined);
}

function furthest(heard: readonly Heard[]): Heard | undefined {
  const told = heard.filter(({ step, percent }) => step !== undefined || percent !== undefined);
  return told.reduce<Heard | undefined>((best, each) => (best && !isFurther(each, best) ? best : each), undefined);
}

function withTold(shown: JobProgress, told: ToldProgress | undefined): JobProgress {
  if (told === undefined) return shown;
  const { percent, step, remainingSeconds, metrics } = told;
  return {
    ...(percent !== undefined && { percent }),
    ...(step !== undefined && { step }),
    ...(remainingSeconds !== undefined && { estimatedRemainingSeconds: remainingSeconds }),
    ...(metrics && { metrics }),
  };
}

function noProgress(heard: readonly Heard[], seconds: number, since: string): Pick<JobProgress, 'message' | 'behind'> {
  const late = behindOf(heard);
  const first = furthest(heard) ?? {};
  const what = `no progress for ${seconds} s, since ${since}`;
  if (late === undefined) return { message: `${what}: all replicas are ${where(first)}` };
  const { role, index, pod } = late.replica;
  const behind: ReplicaBehind = { role: role.name, index, pod: pod?.metadata?.name ?? '' };
  const how = late.problem === undefined ? where(late) : `silent (${late.problem.slice(0, LONGEST_WORDS)})`;
  const name = `${behind.pod} (${behind.role} ${behind.index})`;
  return { message: `${what}: ${name} is behind, ${how}; the furthest is ${where(first)}`, behind };
}

/** Who does not answer though others do, or else who is less far than the others. */
function behindOf(asked: readonly Heard[]): Heard | undefined {
  const silent = asked.find(({ problem }) => problem !== undefined);
  if (silent !== undefined && asked.some(({ problem }) => problem === undefined)) return silent;
  const last = asked.reduce<Heard | undefined>(
    (late, each) => (late && !isFurther(late, each) ? late : each),
    undefined,
  );
  return last !== undefined && asked.some((each) => isFurther(each, last)) ? last : undefined;
}

function where({ step, percent }: ToldProgress): string {
  if (step === undefined) return percent === undefined ? 'not telling' : `at ${percent} %`;
  return `at step ${step}`;
}

function reasonOf(heard: readonly Heard[]): string {
  const { replica, problem } = heard.find((each) => each.problem !== undefined) ?? {};
  return problem === undefined
    ? 'none was asked in time'
    : `${replica?.pod?.metadata?.name}: ${problem}`.slice(0, LONGEST_WORDS);
}

function nobodyTells({ roles, runPolicy }: TrainingJob, { emittedEvents }: World): PlannedEvent[] {
  const dedupKey = 'nothing tells progress';
  if (roles.some((role) => progressPort(role) !== undefined) || emittedEvents.has(dedupKey)) return [];
  const note =
    `spec.runPolicy.progressDeadlineSeconds is ${runPolicy.progressDeadlineSeconds}, but no container has a port named progress: ` +
    'give it to the containers whose program tells how far it is (docs/users/progress.md).';
  return [
    { type: 'Warning', reason: 'NothingTellsProgress' satisfies EventReason, note, action: 'Validate', dedupKey },
  ];
}
