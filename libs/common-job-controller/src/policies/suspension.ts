/** A resumed job starts from scratch, with a new deadline, as in kubeflow/training-operator (pkg/controller.v1/common/job.go). */
import { hasCondition, type JobStatus, reasonOf, timestamp } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { Hold } from '../model/hold.ts';
import { generationOf } from '../model/job-identity.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { World } from '../world/world.ts';
import { withCondition } from '../model/conditions.ts';
import { completed } from '../status/job-state.ts';
import { idleReplicaStatuses, withCreated } from '../status/job-status.ts';

/** The user's suspension precedes the queue's. */
export function holdOf(job: TrainingJob, queue: { readonly hold?: Hold }): Hold | undefined {
  if (!job.runPolicy.suspend) return queue.hold;
  const { kind } = job.resource;
  return { by: 'user', reason: reasonOf(kind, 'Suspended'), message: `${kind} ${job.metadata.name} is suspended.` };
}

export function suspendedStatus(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  { manifest, nowMs }: World,
  { reason, message }: Hold,
): JobStatus {
  const before = job.status.conditions?.find(({ type }) => type === 'Suspended')?.message;
  const created = withCreated(job, job.status.conditions ?? [], nowMs);
  const stopped = hasCondition(created, 'Running')
    ? withCondition(created, { type: 'Running', status: 'False', reason, message }, nowMs)
    : created;
  const conditions = withCondition(stopped, { type: 'Suspended', reason, message, isNews: before !== message }, nowMs);
  const { elastic: _elastic, startTime = timestamp(nowMs), ...kept } = job.status;
  const status = {
    ...kept,
    startTime,
    conditions,
    replicaStatuses: idleReplicaStatuses(adapter, job),
    ready: `0/${job.roles.reduce((sum, { replicas }) => sum + replicas, 0)}`,
    observedGeneration: generationOf(manifest),
  };
  return completed(status, nowMs);
}

export function resumed(job: TrainingJob, nowMs: number): JobStatus {
  const { status, resource, metadata, runPolicy } = job;
  if (runPolicy.suspend || !hasCondition(status.conditions, 'Suspended')) return status;
  const [reason, message] = [reasonOf(resource.kind, 'Resumed'), `${resource.kind} ${metadata.name} is resumed.`];
  const ended = { type: 'Suspended', status: 'False', reason, message } as const;
  const conditions = withCondition(status.conditions ?? [], ended, nowMs);
  // The counts stay, because old pods may still be terminating. The back-off is reset.
  const restarts = status.restarts?.map(({ failures: _failures, lastFailureTime: _time, ...counted }) => counted);
  const { allRunningTime: _allRunningTime, minimumRunningTime: _minimumRunningTime, ...kept } = status;
  return { ...kept, conditions, startTime: timestamp(nowMs), ...(restarts && { restarts }) };
}
