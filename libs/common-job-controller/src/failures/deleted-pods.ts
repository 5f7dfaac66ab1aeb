/**
 * Pods that were deleted while their job ran, as the cause of other failures. A deletion by itself is no failure; it becomes one when a
 * peer ends within a minute because of a connection that it lost. Who deleted a pod is in the audit log of the API server only.
 */
import type { JobFailure } from '@muster/job-api';
import { momentOf } from '../model/moment-of.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { podNameOf } from '../model/pod-name.ts';
import { disruptionOf, hasEverRun } from '../pods/pod-end.ts';
import type { ReplicaPod } from '../pods/replica-pods.ts';
import { attemptOn } from '../restarts/attempt.ts';
import { isGoneForGood } from '../restarts/lost-replicas.ts';
import { hasCondition, timestamp } from '../status/conditions.ts';
import { INCIDENT_MS, isFollower } from './first-failure.ts';

/** One failure for each pod that was deleted before one of the failures `found`, which says that it lost a peer. */
export function deletedPods(
  job: Pick<TrainingJob, 'metadata' | 'status'>,
  replicas: readonly ReplicaPod[],
  found: readonly JobFailure[],
): JobFailure[] {
  const lost = found.filter(lostItsPeer).map(({ time }) => momentOf(time) ?? 0);
  if (lost.length === 0) return [];
  const known = new Set(found.map(({ pod }) => pod));
  // The clean-up of a job that has failed deletes pods from the same second on.
  const leastMs = hasCondition(job.status.conditions, 'Failed') ? 1 : 0;
  return replicas.flatMap((replica) => {
    const name = replica.pod?.metadata?.name ?? podNameOf(job, replica);
    const atMs = known.has(name) ? undefined : deletionMs(replica, Math.min(...lost));
    const isCause = atMs !== undefined && lost.some((each) => each - atMs >= leastMs && each - atMs <= INCIDENT_MS);
    return isCause ? [deletionOf(replica, name, atMs)] : [];
  });
}

/** SIGTERM alone does not say that a peer was lost. */
function lostItsPeer(failure: JobFailure): boolean {
  return isFollower({ ...failure, exitCode: 0 });
}

/** When the deletion was requested. A pod that is gone does not say when: no later than a peer noticed, `noticedMs`. */
function deletionMs(replica: ReplicaPod, noticedMs: number): number | undefined {
  const { pod } = replica;
  if (pod === undefined) return replica.state === 'failed' && isGoneForGood(replica) ? noticedMs : undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds: graceSeconds = 0 } = pod.metadata ?? {};
  const goneMs = momentOf(deletionTimestamp);
  if (goneMs === undefined || disruptionOf(pod) !== undefined || !hasEverRun(pod)) return undefined;
  return goneMs - graceSeconds * 1000;
}

function deletionOf({ role, index, pod }: ReplicaPod, name: string, atMs: number): JobFailure {
  return {
    ...{ role: role.name, index, pod: name },
    ...(pod?.spec?.nodeName !== undefined && { node: pod.spec.nodeName }),
    ...{ class: 'Deleted', reason: 'Deleted', message: `pod ${name} was deleted by someone` },
    time: timestamp(atMs),
    attempt: pod === undefined ? 0 : attemptOn(pod),
  };
}
