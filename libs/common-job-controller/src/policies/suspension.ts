/**
 * Stopping a job without deleting it, and starting it again. Follows kubeflow/training-operator,
 * pkg/controller.v1/common/job.go: a suspended job has no pods, whatever its cleanPodPolicy; a resumed one starts from
 * scratch, and so does the clock of its deadline. Pods that suspension took count as no restart.
 */
import { reasonOf, type JobStatus } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { desiredWorkloads, planWithOwnedResources } from '../reconcile/plan-children.ts';
import { planRemovalOfAll } from '../reconcile/plan-removal.ts';
import { hasCondition, timestamp, withCondition } from '../status/conditions.ts';
import { unreportedRefusal } from './invalid-spec.ts';
import { mayStart } from './start-order.ts';
import { frameworkOwnedResources } from '../owned-resources/job-owned-resources.ts';
import { generationOf } from '../model/job-identity.ts';
import { tallies } from '../pods/job-replicas.ts';
import { completed, idleReplicaStatuses, withCreated } from '../status/job-status.ts';
import type { Hold } from '../queueing/admission.ts';
import type { JobPassContext } from '../reconcile/pass-context.ts';
import { NO_CHANGE, type Decision } from '../model/decision.ts';
import type { World } from '../reconcile/world.ts';

/** @param hold why the job may not run, where that is not its own suspend */
export function planSuspended(context: JobPassContext, hold?: Hold): Decision {
  const { adapter, job, world, gang } = context;
  const { clusterDomain } = context.settings;
  const after = suspendedStatus(adapter, job, world, hold);
  // Its workloads are suspended with it, and made so if nothing else holds them back: queues look at them.
  const pods = { network: undefined, clusterDomain, decorate: gang?.decorate };
  const none = tallies(job, []);
  const desired = [
    ...frameworkOwnedResources(adapter, job, [], world),
    ...desiredWorkloads(context, pods, (role) => mayStart(adapter, job, role, none)),
  ];
  return {
    ...NO_CHANGE,
    status: { before: job.status, after },
    events: unreportedRefusal(world),
    writes: [...planRemovalOfAll(context), ...planWithOwnedResources(context, desired, false)],
    requeueAfterMs: hold?.requeueAfterMs,
  };
}

function suspendedStatus(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  { manifest, nowMs }: World,
  hold: Hold | undefined,
): JobStatus {
  const { kind } = job.resource;
  const reason = hold?.reason ?? reasonOf(kind, 'Suspended');
  const message = hold?.message ?? `${kind} ${job.metadata.name} is suspended.`;
  const told = job.status.conditions?.find(({ type }) => type === 'Suspended')?.message;
  const created = withCreated(job, job.status.conditions ?? [], nowMs);
  const stopped = hasCondition(created, 'Running')
    ? withCondition(created, { type: 'Running', status: 'False', reason, message }, nowMs)
    : created;
  const conditions = withCondition(stopped, { type: 'Suspended', reason, message, isNews: told !== message }, nowMs);
  // Suspended, a job may be given other bounds.
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

/** The status of a job that may run, or has ended; `status` says whether it was suspended before. */
export function resumed(job: TrainingJob, nowMs: number): JobStatus {
  const { status, resource, metadata, runPolicy } = job;
  if (runPolicy.suspend || !hasCondition(status.conditions, 'Suspended')) return status;
  const conditions = withCondition(
    status.conditions ?? [],
    {
      type: 'Suspended',
      status: 'False',
      reason: reasonOf(resource.kind, 'Resumed'),
      message: `${resource.kind} ${metadata.name} is resumed.`,
    },
    nowMs,
  );
  // What is counted of the pods of before stays on record, since they may still be going; their failures weigh no more.
  const restarts = status.restarts?.map(({ failures: _failures, lastFailureTime: _time, ...counted }) => counted);
  const { allRunningTime: _allRunningTime, ...kept } = status;
  return { ...kept, conditions, startTime: timestamp(nowMs), ...(restarts && { restarts }) };
}
