/**
 * Deletes the Redis data of a deleted cluster: first its pods, which still write there, then the data, by a Job. It is
 * tried once, for at most `ray.io/gcs-ft-deletion-timeout` since the operator observed the deletion, so a missing Redis
 * does not block the deletion.
 */
import { ageOf, deletionOf, type JobContext, type ReplicaPod } from '@muster/common-job-controller';
import { BATCH_JOBS, type Job } from '@muster/job-api';
import { gcsBackend } from '../fault-tolerance/gcs-backend.ts';
import { redisCleanupJob } from '../fault-tolerance/redis-cleanup-job.ts';
import { redisCleanupTimeoutMs } from '../model/cluster-annotations.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import type { RayTrainingJob } from './ray-cluster-roles.ts';

export function hasRedis(cluster: ClusterModel): boolean {
  return gcsBackend(cluster) === 'redis';
}

export function redisCleanupStep(
  { options: { cluster }, metadata }: RayTrainingJob,
  replicas: readonly ReplicaPod[],
  { ownedResources, stateAges }: JobContext,
) {
  const remainingMs = redisCleanupTimeoutMs(cluster) - ageOf(stateAges, deletionOf({ metadata }));
  const job = redisCleanupJob(cluster);
  if (!hasRedis(cluster) || job === undefined || remainingMs <= 0) return { isDone: true };
  const waiting = { isDone: false, deletesPods: true, recheckAfterMs: remainingMs };
  if (replicas.length > 0) return waiting;
  const existing = ownedResources.find(
    ({ kind, object }) => kind.resource === BATCH_JOBS && object.metadata?.name === job.metadata?.name,
  );
  if (existing !== undefined && hasEnded(existing.object as Job)) return { isDone: true };
  return { ...waiting, ownedResources: [{ resource: BATCH_JOBS, object: job, change: () => undefined }] };
}

function hasEnded({ status }: Job): boolean {
  return (
    status?.conditions?.some(
      ({ type, status: holds }) => (type === 'Complete' || type === 'Failed') && holds === 'True',
    ) ?? false
  );
}
