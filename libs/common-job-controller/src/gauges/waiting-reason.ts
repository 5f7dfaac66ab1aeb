/** The first reason that holds, in their order. Undefined if finished, deleted, managed elsewhere or complete. */
import type { JobStatus, Pod, ReplicaFailureReason } from '@muster/job-api';
import { isManagedElsewhere } from '../contract/read-manifest.ts';
import type { GangScheduler } from '../contract/gang-scheduler.ts';
import { isFinished } from '../model/conditions.ts';
import { isControlledBy } from '../model/ownership.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { WaitingReason } from '../model/wait.ts';
import { hasEnded } from '../pods/pod-end.ts';
import { firstOf, isWaitingReason } from '../pods/start-reason.ts';
import type { WatchedKind } from '../reconcile/observe.ts';
import { podsNamedFor, readSeen, seenJob, type SeenJob } from './seen-jobs.ts';
import { isBackingOff, isCrashLooping } from './public-state.ts';

export interface Surroundings {
  /** All kinds, because a job may wait for a job of another kind. */
  readonly kinds: readonly WatchedKind[];
  readonly gang: GangScheduler | undefined;
  readonly gangs?: readonly GangScheduler[] | undefined;
  readonly nowMs: number;
}

export function waitingReason(seen: SeenJob, around: Surroundings): WaitingReason | undefined {
  const { kind, manifest, status, runPolicy } = seen;
  const isGoing = manifest.metadata?.deletionTimestamp !== undefined;
  if (isGoing || isFinished(status) || isManagedElsewhere(kind.adapter, manifest)) return undefined;
  if (runPolicy.suspend) return 'Suspended';
  const queue = queueReason(status);
  if (queue !== undefined) return queue;
  const failure = failureReason(status);
  if (failure === 'PlanningFailed') return failure;
  const job = readSeen(seen);
  if (job !== undefined && isComplete(job) && !isCrashLooping(status)) return undefined;
  const { uid } = manifest.metadata ?? {};
  const reasons = new Set<WaitingReason | undefined>([
    failure,
    waitReason(status),
    podsNamedFor(seen).some((pod) => holdsName(pod, uid)) ? 'Deletion' : undefined,
    ...ownJobsReasons(seen, around),
    isBackingOff(status, around.nowMs) ? 'Backoff' : undefined,
  ]);
  return firstOf(reasons) ?? 'Starting';
}

const BY_CONDITION: Readonly<Record<ReplicaFailureReason, WaitingReason>> = {
  PlanningFailed: 'PlanningFailed',
  ReferenceNotFound: 'Reference',
  FailedCreate: 'Refused',
  FailedUpdate: 'Refused',
  FailedDelete: 'Refused',
  NameTaken: 'NameTaken',
  GangSchedulerNotFound: 'PodGroup',
  QueueingUnavailable: 'Reference',
};

function failureReason({ conditions = [] }: JobStatus): WaitingReason | undefined {
  const reason = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True')?.reason ?? '';
  return Object.hasOwn(BY_CONDITION, reason) ? BY_CONDITION[reason as ReplicaFailureReason] : undefined;
}

function waitReason({ conditions = [] }: JobStatus): WaitingReason | undefined {
  const reason = conditions.find(({ type, status }) => type === 'Waiting' && status === 'True')?.reason;
  return reason !== undefined && isWaitingReason(reason) ? reason : undefined;
}

function queueReason({ conditions = [] }: JobStatus): WaitingReason | undefined {
  const reason = conditions.find(({ type, status }) => type === 'Suspended' && status === 'True')?.reason;
  return reason === 'Queued' || reason === 'Evicted' ? reason : undefined;
}

/** A kind without pods is complete in the state Running. */
function isComplete({ roles, status: { replicaStatuses = {}, state } }: TrainingJob): boolean {
  if (roles.length === 0) return state === 'Running';
  return roles.every(({ name, replicas }) => {
    const { active = 0, succeeded = 0 } = replicaStatuses[name] ?? {};
    return !(active + succeeded < replicas);
  });
}

/** Its name blocks a new pod: it is being deleted, or has ended and belongs to an earlier job. */
function holdsName(pod: Pod, jobUid: string | undefined): boolean {
  if (pod.metadata?.deletionTimestamp !== undefined) return true;
  return hasEnded(pod) && !isControlledBy(jobUid, pod);
}

/** For owned jobs of another kind, such as a RayJob's RayCluster. */
function ownJobsReasons({ kind, key, manifest }: SeenJob, around: Surroundings): (WaitingReason | undefined)[] {
  const others = around.kinds.filter((other) => other !== kind);
  return others.flatMap((other) =>
    other.caches.jobs
      .byIndex(kind.caches.index, key)
      .filter((own) => isControlledBy(manifest.metadata?.uid, own))
      .map((own) => waitingReason(seenJob(other, own), around)),
  );
}
