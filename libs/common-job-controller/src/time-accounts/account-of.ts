import type { JobStatus, TimeAccount } from '@muster/job-api';
import { hasCondition } from '../model/conditions.ts';
import { hasRun, type ReplicaPod } from '../model/replica-pod.ts';
import { isOnNode } from './pod-times.ts';

/** Reasons of the condition ReplicaFailure and Waiting with which another program holds the job back. */
const HELD_BACK: ReadonlySet<string> = new Set(['FailedCreate', 'Refused', 'PodGroup', 'SchedulingGated']);

/** The reasons of the condition Suspended when a queue, not a person, holds the job. */
const BY_QUEUE: ReadonlySet<string> = new Set(['Queued', 'Evicted']);

/**
 * The account of the present, by a status and the replicas that it shows. Undefined after the end of the job.
 *
 * @param furthestStep of earlier attempts
 */
export function accountOf(
  status: JobStatus,
  replicas: readonly ReplicaPod[],
  furthestStep: number | undefined,
): TimeAccount | undefined {
  const { conditions, allRunningTime, elastic, progress } = status;
  if (hasCondition(conditions, 'Succeeded') || hasCondition(conditions, 'Failed')) return undefined;
  const suspended = conditions?.find(({ type, status: holds }) => type === 'Suspended' && holds === 'True');
  if (suspended !== undefined) return BY_QUEUE.has(suspended.reason ?? '') ? 'Queued' : 'Suspended';
  if (hasCondition(conditions, 'Restarting')) return 'Restarting';
  const isShort = elastic !== undefined && elastic.granted < elastic.wanted;
  if (!replicas.every(hasRun)) {
    // A job that ran before: an elastic one grows, another one lost a pod.
    if (allRunningTime !== undefined) return elastic === undefined ? 'Restarting' : 'Degraded';
    return startingAccount(status, replicas);
  }
  if (progress?.message !== undefined) return 'Stalled';
  if (isShort) return 'Degraded';
  if (repeatsSteps(status, furthestStep)) return 'Recomputing';
  return replicas.some(({ state }) => state === 'succeeded') ? 'Finishing' : 'Running';
}

function startingAccount({ conditions = [] }: JobStatus, replicas: readonly ReplicaPod[]): TimeAccount {
  const isHeld = conditions.some(
    ({ type, status, reason = '' }) =>
      (type === 'ReplicaFailure' || type === 'Waiting') && status === 'True' && HELD_BACK.has(reason),
  );
  if (isHeld) return 'Queued';
  const isUnplaced = replicas.some(({ state, pod }) => state === 'pending' && pod !== undefined && !isOnNode(pod));
  return isUnplaced || replicas.every(({ pod }) => pod === undefined) ? 'Unscheduled' : 'Starting';
}

/** After a failure, until the program reports a step beyond the last one before it. */
function repeatsSteps({ progress, restartCount = 0, disruptionCount = 0 }: JobStatus, furthest = 0): boolean {
  return furthest > 0 && restartCount + disruptionCount > 0 && (progress?.step ?? 0) < furthest;
}
