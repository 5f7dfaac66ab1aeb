/**
 * A deletion is no failure by itself, but the cause if a peer loses a connection within a minute. Only the API server's audit log has the
 * user who deleted a pod. So pods that Muster may have deleted are excluded: those it replaces, restarts in place, or recreates with their
 * replica group.
 */
import { hasCondition, type JobFailure, momentOf, type Pod, timestamp } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { placeKey, podsPerReplica, replicaKey } from '../model/replica-hosts.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { podNameOf } from '../model/pod-name.ts';
import { disruptionOf, hasEverRun } from '../pods/pod-end.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { attemptOf, attemptOn, isOfThisRun } from '../model/attempt.ts';
import { isRestartRequested } from '../pods/in-place.ts';
import { isGoneForGood } from './lost-replicas.ts';
import { markOf, restartRecords, type RestartRecord } from '../model/restart-records.ts';
import { INCIDENT_MS } from './first-failure.ts';
import { failureRecord } from './job-failure.ts';

/**
 * @param replicas existing replicas and those of removed pods ({@link removedReplicas})
 * @param found failures, of which those with a lost peer count
 */
export function deletedPods(
  job: TrainingJob,
  replicas: readonly ReplicaPod[],
  found: readonly JobFailure[],
): JobFailure[] {
  const lost = found.filter((failure) => failure.class === 'Cascade').map(({ time }) => momentOf(time) ?? 0);
  if (lost.length === 0) return [];
  const known = new Set(found.map(({ pod }) => pod));
  const records = restartRecords(job);
  const failed = new Set(replicas.filter(({ pod }) => known.has(pod?.metadata?.name ?? '')).map(replicaKey));
  const isMusters = (replica: ReplicaPod) =>
    isReplaced(replica, records.get(placeKey(replica))) ||
    (replica.pod !== undefined && isRestartRequested(replica.pod)) ||
    (podsPerReplica(replica.role) > 1 && failed.has(replicaKey(replica)));
  // The clean-up of a failed job deletes pods from the same second on.
  const leastMs = hasCondition(job.status.conditions, 'Failed') ? 1 : 0;
  return replicas.flatMap((replica) => {
    const name = replica.pod?.metadata?.name ?? podNameOf(job, replica);
    const atMs = known.has(name) || isMusters(replica) ? undefined : deletionMs(replica, Math.min(...lost));
    const isCause = atMs !== undefined && lost.some((each) => each - atMs >= leastMs && each - atMs <= INCIDENT_MS);
    if (!isCause) return [];
    const message = `pod ${name} was deleted by a user or another controller`;
    const attempt = replica.pod === undefined ? attemptOf(job, replica.role) : attemptOn(replica.pod);
    const time = timestamp(atMs);
    return [failureRecord(replica, { class: 'Deleted', reason: 'Deleted', message, time, pod: name, attempt })];
  });
}

/** Replicas of pods that were deleted in the current run of the job, not by a suspension, a restart or a scale-down. */
export function removedReplicas(
  { labels }: Pick<FrameworkAdapter, 'labels'>,
  job: TrainingJob,
  wanted: readonly ReplicaPod[],
  gone: readonly Pod[],
): ReplicaPod[] {
  return gone.flatMap((pod): ReplicaPod[] => {
    const named = labels.replicaOf(pod);
    const place = wanted.find(({ role, index }) => role.name.toLowerCase() === named?.role && index === named.index);
    if (place === undefined || !isOfThisRun(pod, job) || attemptOn(pod) !== attemptOf(job, place.role)) return [];
    return [{ role: place.role, index: place.index, state: 'terminating', pod }];
  });
}

/** For a removed pod, the record may be of an earlier pod. */
function isReplaced({ pod }: ReplicaPod, record: RestartRecord | undefined): boolean {
  return record?.replaced === true && (pod === undefined || record.mark === markOf(pod.metadata?.uid ?? ''));
}

/** When the deletion was requested. For a removed pod without that time: at the latest when a peer noticed it. */
function deletionMs(replica: ReplicaPod, noticedMs: number): number | undefined {
  const { pod } = replica;
  if (pod === undefined) return replica.state === 'failed' && isGoneForGood(replica) ? noticedMs : undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds: graceSeconds = 0 } = pod.metadata ?? {};
  const goneMs = momentOf(deletionTimestamp);
  if (goneMs === undefined || disruptionOf(pod) !== undefined || !hasEverRun(pod)) return undefined;
  if (graceSeconds > 0) return goneMs - graceSeconds * 1000;
  // The kubelet's last deletion, without grace, moves deletionTimestamp behind the end of the containers.
  const states = (pod.status?.containerStatuses ?? []).map(({ state }) => state);
  const ends = states.flatMap((state) => momentOf(state?.terminated?.finishedAt) ?? []);
  const isRunning = states.some((state) => state?.running !== undefined);
  return isRunning || ends.length === 0 ? goneMs : Math.min(goneMs, Math.max(...ends));
}
