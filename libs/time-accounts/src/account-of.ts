import { hasCondition, isFinished, type JobStatus, type TimeAccount } from '@muster/job-api';
import { isOnNode } from './pod-times.ts';
import { hasFailed, hasRun, type TimedReplica } from './timed-replica.ts';

/** Reasons of the conditions ReplicaFailure and Waiting with which another program holds the job back. */
const HELD_BACK: ReadonlySet<string> = new Set(['FailedCreate', 'Refused', 'PodGroup', 'SchedulingGated']);

/** The reasons of the condition Suspended when a queue, not a person, holds the job. */
const BY_QUEUE: ReadonlySet<string> = new Set(['Queued', 'Evicted']);

/** Accounts of a job that has not run, or not since it was suspended. */
export const BEFORE_START: ReadonlySet<TimeAccount> = new Set(['Suspended', 'Queued', 'Unscheduled', 'Starting']);

/**
 * The account of the present, by a status and the replicas that it shows. Undefined after the end of the job.
 *
 * @param earlier the account before, and the furthest step of earlier attempts, if known
 */
export function accountOf(
  status: JobStatus,
  replicas: readonly TimedReplica[],
  earlier: { readonly account?: TimeAccount | undefined; readonly furthestStep?: number | undefined },
): TimeAccount | undefined {
  const { conditions, allRunningTime, elastic, firstFailure, progress, restartCount = 0, disruptionCount = 0 } = status;
  if (isFinished(status)) return undefined;
  const suspended = conditions?.find(({ type, status: holds }) => type === 'Suspended' && holds === 'True');
  if (suspended !== undefined) return BY_QUEUE.has(suspended.reason ?? '') ? 'Queued' : 'Suspended';
  // A job that is resized before it ran for the first time loses nothing.
  const hasBegun = allRunningTime !== undefined || restartCount + disruptionCount > 0 || firstFailure !== undefined;
  if (hasCondition(conditions, 'Restarting') && hasBegun) return 'Restarting';
  const missing = replicas.filter((replica) => !hasRun(replica));
  const isStarting = earlier.account === undefined ? allRunningTime === undefined : BEFORE_START.has(earlier.account);
  if (missing.length > 0 && isStarting) return startingAccount(status, replicas);
  if (missing.length > 0) return isReplacing(status, missing, earlier.account) ? 'Restarting' : 'Degraded';
  if (progress?.message !== undefined) return 'Stalled';
  if (elastic !== undefined && elastic.granted < elastic.wanted) return 'Degraded';
  if (repeatsSteps(status, earlier.furthestStep)) return 'Recomputing';
  return replicas.some(({ state }) => state === 'succeeded') ? 'Finishing' : 'Running';
}

function startingAccount({ conditions = [] }: JobStatus, replicas: readonly TimedReplica[]): TimeAccount {
  const isHeld = conditions.some(
    ({ type, status, reason = '' }) =>
      (type === 'ReplicaFailure' || type === 'Waiting') && status === 'True' && HELD_BACK.has(reason),
  );
  if (isHeld) return 'Queued';
  const isUnplaced = replicas.some(({ state, pod }) => state === 'pending' && pod !== undefined && !isOnNode(pod));
  return isUnplaced || replicas.every(({ pod }) => pod === undefined) ? 'Unscheduled' : 'Starting';
}

/**
 * Whether a running job misses replicas since a failure. Otherwise its spec wants more than before. A job that restarts as a whole may run
 * before all of its replicas do. An elastic job that was made smaller goes on with the others.
 */
function isReplacing(
  { elastic, restarts = [] }: JobStatus,
  missing: readonly TimedReplica[],
  before: TimeAccount | undefined,
): boolean {
  if (elastic !== undefined && elastic.granted < elastic.wanted) return false;
  return before === 'Restarting' || missing.some(hasFailed) || restarts.some(({ replaced }) => replaced === true);
}

/** After a failure, until the program reports a step beyond the last one before it. */
function repeatsSteps({ progress, restartCount = 0, disruptionCount = 0 }: JobStatus, furthest = 0): boolean {
  return furthest > 0 && restartCount + disruptionCount > 0 && (progress?.step ?? 0) < furthest;
}
