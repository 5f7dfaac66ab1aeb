/** The first reason that holds, in their order. Undefined if finished, deleted, managed elsewhere or complete. */
import { hasEnded, isFinished, type JobStatus, type Pod, type ReplicaFailureReason } from '@muster/job-api';
import { isManagedElsewhere } from '../contract/read-manifest.ts';
import type { GangSettings } from '../contract/gang-settings.ts';
import { isControlledBy } from '../model/ownership.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { WaitingReason } from '../model/wait.ts';
import { firstOf, isWaitingReason } from '../pods/start-reason.ts';
import type { WatchedKind } from '../reconcile/observe.ts';
import { podsNamedFor, readSeen, seenJob, type SeenJob } from './seen-jobs.ts';
import { isBackingOff, isCrashLooping, conditionReason } from './failing-state.ts';

export interface Surroundings extends GangSettings {
  /** All kinds, because a job may wait for a job of another kind. */
  readonly kinds: readonly WatchedKind[];
  readonly nowMs: number;
}

export function waitingReason(seen: SeenJob, around: Surroundings): WaitingReason | undefined {
  const { kind, manifest, status, runPolicy } = seen;
  const isDeleted = manifest.metadata?.deletionTimestamp !== undefined;
  if (isDeleted || isFinished(status) || isManagedElsewhere(kind.adapter, manifest)) return undefined;
  if (runPolicy.suspend) return 'Suspended';
  const hold = conditionReason(status, 'Suspended');
  if (hold === 'Queued' || hold === 'Evicted') return hold;
  const failure = failureReason(status);
  if (failure === 'PlanningFailed') return failure;
  const job = readSeen(seen);
  if (job !== undefined && isComplete(job) && !isCrashLooping(status)) return undefined;
  const { uid } = manifest.metadata ?? {};
  const wait = conditionReason(status, 'Waiting');
  const reasons = new Set<WaitingReason | undefined>([
    failure,
    isWaitingReason(wait) ? wait : undefined,
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

function failureReason(status: JobStatus): WaitingReason | undefined {
  const reason = conditionReason(status, 'ReplicaFailure');
  return Object.hasOwn(BY_CONDITION, reason) ? BY_CONDITION[reason as ReplicaFailureReason] : undefined;
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
