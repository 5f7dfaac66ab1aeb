/**
 * What a job waits for, told from what the caches show: one reason, the first that holds in the order of the reasons
 * themselves. Undefined of a job that has ended, that is deleted, that somebody else runs, or all of whose replicas run.
 */
import type { JobStatus, Pod, ReplicaFailureReason } from '@muster/job-api';
import { isManagedElsewhere } from '../contract/read-manifest.ts';
import { namedGang } from '../gang/gang-of.ts';
import type { GangScheduler } from '../gang/gang-scheduler.ts';
import { isControlledBy } from '../model/ownership.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { WatchedKind } from '../operator/job-informers.ts';
import { jobReplicas, tallies } from '../pods/job-replicas.ts';
import { heldBack } from '../policies/start-order.ts';
import { hasEnded } from '../pods/pod-end.ts';
import { isToCreate } from '../pods/replica-pods.ts';
import { firstOf, startReason, type WaitingReason } from '../pods/start-reason.ts';
import { isFinished } from '../status/conditions.ts';
import { podsNamedFor, readSeen, seenJob, type SeenJob } from './seen-jobs.ts';
import { isBackingOff, isCrashLooping } from './shown-state.ts';

/** What is known beside the job itself. */
export interface Surroundings {
  /** All that the operator runs: a job of one kind may be what one of another waits for. */
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
  const told = toldReason(status);
  if (told === 'PlanningFailed') return told;
  const job = readSeen(seen);
  if (job !== undefined && isComplete(job) && !isCrashLooping(status)) return undefined;
  const reasons = new Set<WaitingReason | undefined>([
    told,
    job && gangReason(seen, job, around),
    ...podsNamedFor(seen).map((pod) => podReason(pod, manifest.metadata?.uid)),
    ...ownJobsReasons(seen, around),
    isCrashLooping(status) ? 'CrashLoop' : undefined,
    isBackingOff(status, around.nowMs) ? 'Backoff' : undefined,
  ]);
  const known = firstOf(reasons);
  return known ?? (job && waitsForRole(seen, job, around) ? 'StartOrder' : 'Starting');
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

function toldReason({ conditions = [] }: JobStatus): WaitingReason | undefined {
  const told = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True')?.reason ?? '';
  return Object.hasOwn(BY_CONDITION, told) ? BY_CONDITION[told as ReplicaFailureReason] : undefined;
}

/** Of a job that Kueue does not let run. */
function queueReason({ conditions = [] }: JobStatus): WaitingReason | undefined {
  const told = conditions.find(({ type, status }) => type === 'Suspended' && status === 'True')?.reason;
  return told === 'Queued' || told === 'Evicted' ? told : undefined;
}

/** Whether nothing of it is missing, by its status: a kind without pods runs as a whole. */
function isComplete({ roles, status: { replicaStatuses = {}, state } }: TrainingJob): boolean {
  if (roles.length === 0) return state === 'Running';
  return roles.every(({ name, replicas }) => {
    const { active = 0, succeeded = 0 } = replicaStatuses[name] ?? {};
    return !(active + succeeded < replicas);
  });
}

function gangReason({ kind, key }: SeenJob, job: TrainingJob, around: Surroundings) {
  const { metadata } = job;
  const gang = namedGang(job, around);
  if (gang === 'unknown') return 'PodGroup';
  if (gang?.groups === undefined) return undefined;
  const { groups } = gang;
  const cache = kind.caches.ownedResources.find((each) => each.kind.resource === groups.resource)?.cache;
  const group = cache?.byIndex(kind.caches.index, key).find((object) => isControlledBy(metadata.uid, object));
  if (groups.waitsFor(group) !== undefined) return 'PodGroup';
  return group !== undefined && groups.unschedulable(group) !== undefined ? 'Unschedulable' : undefined;
}

/** Whether pods of a role are not made because the role waits for another. */
function waitsForRole({ kind, key }: SeenJob, job: TrainingJob, { gang }: Surroundings): boolean {
  const { adapter, caches } = kind;
  if (job.runPolicy.startOrder === undefined && adapter.scheduling?.mayStart === undefined) return false;
  const ownedResources = caches.ownedResources.flatMap(({ kind: owned, cache }) =>
    cache.byIndex(caches.index, key).map((object) => ({ kind: owned, object })),
  );
  const { wanted } = jobReplicas(adapter, job, caches.pods.byIndex(caches.index, key), { ownedResources });
  const held = heldBack(adapter, job, tallies(job, wanted), gang);
  return wanted.some((replica) => isToCreate(replica) && held.has(replica.role));
}

function podReason(pod: Pod, jobUid: string | undefined): WaitingReason | undefined {
  const { metadata } = pod;
  if (metadata?.deletionTimestamp !== undefined) return 'Deletion';
  if (hasEnded(pod)) return isControlledBy(jobUid, pod) ? undefined : 'Deletion';
  return startReason(pod);
}

/** Of jobs of another kind that this one has made, as a RayJob its RayCluster. */
function ownJobsReasons({ kind, key, manifest }: SeenJob, around: Surroundings): (WaitingReason | undefined)[] {
  const others = around.kinds.filter((other) => other !== kind);
  return others.flatMap((other) =>
    other.caches.jobs
      .byIndex(kind.caches.index, key)
      .filter((own) => isControlledBy(manifest.metadata?.uid, own))
      .map((own) => waitingReason(seenJob(other, own), around)),
  );
}
