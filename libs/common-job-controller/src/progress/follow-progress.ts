/**
 * Follows the progress of a job (`runPolicy.progressDeadlineSeconds`). The deadline counts while all required replicas run, restarts with
 * each other set of pods, and passes if no replica gets further than the furthest before. All state is in the status, so another operator
 * continues from it.
 */
import { type EventReason, type JobProgress, type LaggingReplica, momentOf, timestamp } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { defined } from '../model/defined.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { hasRun, type ReplicaPod } from '../model/replica-pod.ts';
import type { Decision } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import { earliest } from '../model/requeue.ts';
import { standstillOf } from '../model/state-ages.ts';
import type { World } from '../world/world.ts';
import { hasUnknownProgress, unknownBefore } from './progress-known.ts';
import type { ProbeResult } from '@muster/probes';
import { readProgress, type ReportedProgress } from './progress-answer.ts';
import {
  alwaysPolled,
  progressPort,
  progressProbe,
  probeName,
  reportingReplicas,
  runsOf,
} from './reporting-replicas.ts';

/** Progress is written at least this often, however long the deadline is. */
const LONGEST_PACE_MS = 30_000;

/** Limit for messages from outside, in characters. */
const LONGEST_REASON = 300;

interface FollowedProgress extends Pick<Decision, 'events' | 'probes' | 'requeueAfterMs'> {
  readonly progress: JobProgress | undefined;
  readonly unknown?: string | undefined;
}

interface ReplicaReport extends ReportedProgress {
  readonly replica: ReplicaPod;
  /** Undefined until it was polled. */
  readonly fact: ProbeResult | undefined;
  readonly problem?: string;
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
  const events = missingPortEvents(job, world);
  const reporting = reportingReplicas(replicas);
  if (reporting.length === 0 || !isWhole(adapter, job, replicas)) {
    return { progress: before && shownFields(before), events, requeueAfterMs: undefined };
  }
  const deadlineMs = progressDeadlineSeconds * 1000;
  const pods = runsOf(reporting);
  const sinceMs = momentOf(before?.lastProgressTime);
  const reports = reporting.map((replica) => reportOf(replica, world));
  // A future time means that the clock was set back: a hang would be detected late.
  const isOther = before === undefined || before.pods !== pods || sinceMs === undefined || sinceMs > world.nowMs;
  const observedMs = before && world.stateAges.get(standstillOf(job, before));
  const moment = { reports, always: alwaysPolled(reports), sinceMs: sinceMs ?? nowMs, deadlineMs, nowMs, observedMs };
  const unknown = isOther ? undefined : whyUnknown(before, moment);
  // Unknown progress does not count against the job: the deadline starts again when a replica answers.
  const isKnownAgain = unknown === undefined && hasUnknownProgress(job.status) && answering(moment).length > 0;
  const present =
    isOther || isKnownAgain
      ? { ...withReported(shownFields(before ?? {}), furthest(reports)), lastProgressTime: timestamp(nowMs), pods }
      : nextProgress(before, moment);
  const overMs = (momentOf(present.lastProgressTime) ?? nowMs) + deadlineMs - nowMs;
  const pollAllInMs = overMs - deadlineMs / 2;
  const polled = pollAllInMs <= 0 ? reporting : alwaysPolled(reporting);
  return {
    progress: present,
    unknown: isOther || isKnownAgain ? undefined : (unknown ?? unknownBefore(job.status)),
    events,
    probes: polled.map((replica) => progressProbe(replica, deadlineMs)),
    requeueAfterMs: earliest(
      ...[overMs, pollAllInMs, overMs + deadlineMs / 2, overMs > 0 ? 0 : unobservedMs(moment)].filter(
        (inMs) => inMs > 0,
      ),
    ),
  };
}

/** An elastic job continues with its minimum of replicas. */
function isWhole(adapter: FrameworkAdapter, job: TrainingJob, replicas: readonly ReplicaPod[]): boolean {
  const least = adapter.elastic?.bounds?.(job)?.min ?? replicas.length;
  return replicas.filter(hasRun).length >= least;
}

function shownFields(progress: JobProgress): JobProgress {
  const { lastProgressTime: _time, pods: _pods, message: _message, behind: _behind, ...shown } = progress;
  return shown;
}

function reportOf(replica: ReplicaPod, { probeResults }: World): ReplicaReport {
  const fact = probeResults.get(probeName(replica));
  const reported = fact?.answer && readProgress(fact.answer);
  const [progress, problem] = typeof reported === 'string' ? [{}, reported] : [reported, fact?.problem];
  return { replica, fact, ...progress, ...(problem !== undefined && { problem }) };
}

interface Moment {
  readonly reports: readonly ReplicaReport[];
  /** The reports of replicas that are polled in every run. */
  readonly always: readonly ReplicaReport[];
  readonly sinceMs: number;
  readonly deadlineMs: number;
  readonly nowMs: number;
  /** How long this operator has observed the last progress, by its monotonic clock. Undefined: not at all. */
  readonly observedMs: number | undefined;
}

/**
 * How much longer a standstill has to be observed. If the wall clock is set forward, a deadline passes without one. So half of the deadline
 * has to pass by the monotonic clock as well, which starts again with each leader.
 */
function unobservedMs({ deadlineMs, observedMs = Infinity }: Moment): number {
  return Math.max(0, deadlineMs / 2 - observedMs);
}

function nextProgress(before: JobProgress, moment: Moment): JobProgress {
  const { reports, always, sinceMs, deadlineMs, nowMs } = moment;
  const { pods = '' } = before;
  const first = furthest(reports);
  // If all polled replicas report less than before, the program continues from an earlier step, for example from a checkpoint.
  const isEarlier = first !== undefined && isFurther(before, first) && always.every(isAnswered);
  if (first !== undefined && (isFurther(first, before) || isEarlier)) {
    const isDue = before.message !== undefined || nowMs - sinceMs >= Math.min(LONGEST_PACE_MS, deadlineMs / 4);
    return isDue ? { ...withReported({}, first), lastProgressTime: timestamp(nowMs), pods } : before;
  }
  if (nowMs - sinceMs < deadlineMs || unobservedMs(moment) > 0 || before.message !== undefined) return before;
  // After a start, the operator has not polled yet. After a network partition, it has old answers.
  const fresh = answering(moment);
  const isKnown = (each: ReplicaReport) => fresh.includes(each) || isSilentBeside(each, fresh, deadlineMs);
  if (fresh.length === 0 || !always.every(isKnown)) return before;
  return { ...before, ...noProgress(reports.filter(isKnown), deadlineMs / 1000, timestamp(sinceMs)) };
}

/** Replicas that answered the newest request within half a deadline, in which all are polled. */
function answering({ reports, deadlineMs }: Moment): readonly ReplicaReport[] {
  return reports.filter((each) => isAnswered(each) && (each.fact?.ageMs ?? 0) <= deadlineMs / 2);
}

function isAnswered({ fact, problem }: ReplicaReport): boolean {
  return fact !== undefined && problem === undefined;
}

/** Whether a request to it failed while another replica answered, which shows that the operator can reach pods. */
function isSilentBeside(
  { replica, fact }: ReplicaReport,
  fresh: readonly ReplicaReport[],
  deadlineMs: number,
): boolean {
  if (fact?.problem === undefined) return fact?.answer !== undefined;
  const sinceStartMs = (fact.triedMs ?? Infinity) + progressProbe(replica, deadlineMs).timeoutMs;
  return fresh.some((other) => (other.fact?.answeringMs ?? 0) >= sinceStartMs);
}

/**
 * The deadline has passed, the replicas that are always polled were polled recently, and none answered. A paused operator, or one at its
 * limit of requests, gets another half deadline.
 */
function whyUnknown(before: JobProgress, moment: Moment): string | undefined {
  const { reports, always, sinceMs, deadlineMs, nowMs } = moment;
  const arePolled = always.every(({ fact }) => fact !== undefined && (fact.triedMs ?? 0) <= deadlineMs / 2);
  const dueMs = arePolled ? deadlineMs : 1.5 * deadlineMs;
  if (nowMs - sinceMs < dueMs || unobservedMs(moment) > 0 || before.message !== undefined) return undefined;
  if (answering(moment).length > 0) return undefined;
  return (
    `Progress is unknown since ${timestamp(sinceMs)}: no replica reports it to the operator; ${reasonOf(reports)}. ` +
    'Nothing is restarted because of this. Check network policies and the program (docs/users/progress.md).'
  );
}

type Reached = Pick<ReportedProgress, 'step' | 'percent'>;

/** Steps are compared before percentages, which may be rounded. */
function isFurther(one: Reached, other: Reached): boolean {
  if (one.step !== undefined && other.step !== undefined && one.step !== other.step) return one.step > other.step;
  return (one.percent ?? -1) > (other.percent ?? -1) || (one.step !== undefined && other.step === undefined);
}

function furthest(reports: readonly ReplicaReport[]): ReplicaReport | undefined {
  const reported = reports.filter(({ step, percent }) => step !== undefined || percent !== undefined);
  return reported.reduce<ReplicaReport | undefined>(
    (best, each) => (best && !isFurther(each, best) ? best : each),
    undefined,
  );
}

function withReported(shown: JobProgress, reported: ReportedProgress | undefined): JobProgress {
  if (reported === undefined) return shown;
  const { percent, step, remainingSeconds, metrics } = reported;
  return defined({ percent, step, estimatedRemainingSeconds: remainingSeconds, metrics });
}

function noProgress(
  reports: readonly ReplicaReport[],
  seconds: number,
  since: string,
): Pick<JobProgress, 'message' | 'behind'> {
  const late = behindOf(reports);
  const first = furthest(reports) ?? {};
  const what = `no progress for ${seconds} s, since ${since}`;
  if (late === undefined) return { message: `${what}: all replicas are ${where(first)}` };
  const { role, index, pod } = late.replica;
  const behind: LaggingReplica = { role: role.name, index, pod: pod?.metadata?.name ?? '' };
  const how = late.problem === undefined ? where(late) : `not responding (${late.problem.slice(0, LONGEST_REASON)})`;
  const name = `${behind.pod} (${behind.role} ${behind.index})`;
  return { message: `${what}: ${name} is behind, ${how}; the furthest is ${where(first)}`, behind };
}

/** A replica that does not answer although others do, otherwise the one with the least progress. */
function behindOf(polled: readonly ReplicaReport[]): ReplicaReport | undefined {
  const silent = polled.find(({ problem }) => problem !== undefined);
  if (silent !== undefined && polled.some(({ problem }) => problem === undefined)) return silent;
  const last = polled.reduce<ReplicaReport | undefined>(
    (late, each) => (late && !isFurther(late, each) ? late : each),
    undefined,
  );
  return last !== undefined && polled.some((each) => isFurther(each, last)) ? last : undefined;
}

function where({ step, percent }: ReportedProgress): string {
  if (step === undefined) return percent === undefined ? 'not reporting' : `at ${percent} %`;
  return `at step ${step}`;
}

function reasonOf(reports: readonly ReplicaReport[]): string {
  const { replica, problem } = reports.find((each) => each.problem !== undefined) ?? {};
  return problem === undefined
    ? 'none was polled in time'
    : `${replica?.pod?.metadata?.name}: ${problem}`.slice(0, LONGEST_REASON);
}

function missingPortEvents({ roles, runPolicy }: TrainingJob, { emittedEvents }: World): PlannedEvent[] {
  const dedupKey = 'progress not reported';
  if (roles.some((role) => progressPort(role) !== undefined) || emittedEvents.has(dedupKey)) return [];
  const note =
    `spec.runPolicy.progressDeadlineSeconds is ${runPolicy.progressDeadlineSeconds}, but no container has a port named progress: ` +
    'add it to the containers whose program reports its progress (docs/users/progress.md).';
  return [{ type: 'Warning', reason: 'ProgressNotReported' satisfies EventReason, note, action: 'Validate', dedupKey }];
}
