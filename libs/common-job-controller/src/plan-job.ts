/**
 * The whole behaviour of a job: World in, Plan out, and nothing else. The same World always gives the same Plan, so a
 * case is a table row, and anyone can print the Plan of a manifest without a cluster.
 */
import {
  INVALID_SPEC,
  MANAGED_BY_TRAINING_OPERATOR,
  reasonOf,
  type EventReason,
  type JobCondition,
  type JobStatus,
} from '@muster/job-api';
import type { FrameworkAdapter, JobManifest, TrainingJob } from './adapter.ts';
import { planChildren, planCleanUp, planRemovalOfPods } from './children.ts';
import { hasCondition, isFinished, timestamp, withCondition, withoutCondition } from './conditions.ts';
import { failureCause, firstFailed } from './failure-cause.ts';
import { isToRestart, jobReplicas, tallies } from './job-replicas.ts';
import { completed, lastCounts, readyCount, replicaStatuses, withCreated } from './job-status.ts';
import { mergePatch } from './merge-patch.ts';
import { ownershipOf } from './ownership.ts';
import { NOTHING_TO_DO, type Plan } from './plan.ts';
import type { ReplicaPod } from './replica-pods.ts';
import { transitionCounters, transitionEvents } from './transitions.ts';
import type { PlanSettings, World } from './world.ts';

export function planJob(adapter: FrameworkAdapter, world: World, settings: PlanSettings): Plan {
  if (isLeftAlone(world.manifest)) return NOTHING_TO_DO;

  const status = takingBackInvalidSpec(world.manifest);
  if (isInvalid(status)) return planRemovalOfPods(identity(adapter, world.manifest), world);
  // A job that runs was valid once: rules that came later do not end it.
  const invalid = isFinished(status) || hasEverRun(status) ? undefined : whyInvalid(adapter, world);
  if (invalid !== undefined) return planInvalid(adapter, world, status, invalid);

  const job: TrainingJob = { ...identity(adapter, world.manifest), ...adapter.read(world.manifest), status };
  const pods = world.pods.filter((pod) => ownershipOf(pod, job.metadata.uid) === 'owned');
  const replicas = jobReplicas(job, pods);
  if (isFinished(status)) return planCleanUp(job, world, replicas);

  const restarts = replicas.wanted.filter((replica) => isToRestart(replica, adapter.containerName));
  const next = nextStatus(adapter, job, world, replicas.wanted, restarts);
  const children = isFinished(next)
    ? planCleanUp(job, world, replicas)
    : planChildren(adapter, job, world, settings, replicas, restarts);
  const change = statusChange(world.manifest, status, next);
  return { ...children, ...change, events: [...change.events, ...untoldRefusal(world)] };
}

/** What of the manifest cannot be run, by our rules or by the API server's answer. */
function whyInvalid(adapter: FrameworkAdapter, { manifest, refusal }: World): string | undefined {
  const problems = adapter.problems(manifest);
  if (problems.length > 0) return problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return refusal?.generation === generationOf(manifest) ? refusal.message : undefined;
}

function isInvalid({ conditions = [] }: JobStatus): boolean {
  return conditions.some(
    ({ type, status, reason }) => type === 'Failed' && status === 'True' && reason === INVALID_SPEC,
  );
}

/** A running job does not fail because a pod cannot be replaced; its user still has to know what to correct. */
function untoldRefusal({ manifest, refusal }: World): Plan['events'] {
  if (refusal === undefined || refusal.told || refusal.generation !== generationOf(manifest)) return [];
  const note = `${refusal.message}. No pod is made until the job's spec is changed.`;
  return [{ type: 'Warning', reason: 'FailedCreatePod' satisfies EventReason, note, action: 'CreatePod' }];
}

/** A job that is going away, or that somebody else runs (`managedBy`): not even its status is ours to write. */
function isLeftAlone({ metadata, spec }: JobManifest): boolean {
  const managedBy = spec?.runPolicy?.managedBy;
  return (
    metadata?.deletionTimestamp !== undefined || (managedBy !== undefined && managedBy !== MANAGED_BY_TRAINING_OPERATOR)
  );
}

/** The one end that is not final: no pod was ever made, so a spec that has been changed since gets its chance. */
function takingBackInvalidSpec(manifest: JobManifest): JobStatus {
  const status = manifest.status ?? {};
  const failed = status.conditions?.find(({ type }) => type === 'Failed');
  if (failed?.reason !== INVALID_SPEC || status.observedGeneration === generationOf(manifest)) return status;
  return completed({ ...status, conditions: withoutCondition(status.conditions ?? [], 'Failed') }, 0);
}

function planInvalid(adapter: FrameworkAdapter, world: World, before: JobStatus, message: string): Plan {
  const { manifest, nowMs } = world;
  const job = identity(adapter, manifest);
  const created = withCreated(job, before.conditions ?? [], nowMs);
  const conditions = withCondition(created, { type: 'Failed', reason: INVALID_SPEC, message }, nowMs);
  const status = { ...before, conditions, observedGeneration: generationOf(manifest) };
  return { ...planRemovalOfPods(job, world), ...statusChange(manifest, before, completed(status, nowMs)) };
}

function nextStatus(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  { manifest, nowMs, countedRestarts }: World,
  replicas: readonly ReplicaPod[],
  restarts: readonly ReplicaPod[],
): JobStatus {
  const created = withCreated(job, job.status.conditions ?? [], nowMs);
  const conditions = nextConditions(adapter, job, created, replicas, restarts, nowMs);
  const uncounted = restarts.filter(({ pod }) => !countedRestarts.has(pod?.metadata?.uid ?? ''));
  const next = {
    ...job.status,
    conditions,
    replicaStatuses: replicaStatuses(adapter, job, replicas),
    startTime: job.status.startTime ?? timestamp(nowMs),
    ready: readyCount(replicas),
    observedGeneration: generationOf(manifest),
  };
  const restartCount = job.status.restartCount ?? 0;
  // Nothing is restarted once the job has ended.
  return isFinished(next)
    ? completed({ ...lastCounts(job, next), restartCount }, nowMs)
    : completed({ ...next, restartCount: restartCount + uncounted.length }, nowMs);
}

function nextConditions(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  conditions: JobCondition[],
  replicas: readonly ReplicaPod[],
  restarts: readonly ReplicaPod[],
  nowMs: number,
): JobCondition[] {
  const outcome = adapter.outcome(job, tallies(job, replicas, adapter.containerName));
  const { kind } = job.resource;
  const because = (failed: readonly ReplicaPod[]) => causeOf(failed, adapter.containerName);
  switch (outcome.phase) {
    case 'Succeeded':
      return withCondition(
        conditions,
        { type: 'Succeeded', reason: reasonOf(kind, 'Succeeded'), message: outcome.message },
        nowMs,
      );
    case 'Failed': {
      const failed = replicas.filter((replica) => replica.state === 'failed' && !restarts.includes(replica));
      const message = outcome.message + because(failed);
      return withCondition(conditions, { type: 'Failed', reason: reasonOf(kind, 'Failed'), message }, nowMs);
    }
    case 'Pending':
    case 'Running': {
      const [restarting] = restarts;
      if (restarting !== undefined) {
        const message = `job ${job.metadata.name} is restarting because ${restarting.role.name} replica(s) failed.${because(restarts)}`;
        return withCondition(conditions, { type: 'Restarting', reason: reasonOf(kind, 'Restarting'), message }, nowMs);
      }
      if (outcome.phase === 'Pending' || isStillRestarting(conditions, replicas)) return conditions;
      return withCondition(
        conditions,
        { type: 'Running', reason: reasonOf(kind, 'Running'), message: outcome.message },
        nowMs,
      );
    }
  }
}

/** A restart is over when every replica is there again, not when some replica happens to run. */
function isStillRestarting(conditions: readonly JobCondition[], replicas: readonly ReplicaPod[]): boolean {
  const isThere = ({ state }: ReplicaPod) => state === 'running' || state === 'succeeded';
  return hasCondition(conditions, 'Restarting') && !replicas.every(isThere);
}

function causeOf(failed: readonly ReplicaPod[], containerName: string): string {
  const first = firstFailed(failed.flatMap(({ pod }) => pod ?? []));
  return first === undefined ? '' : ` First: ${failureCause(first, containerName)}`;
}

function hasEverRun({ conditions = [] }: JobStatus): boolean {
  return conditions.some(({ type }) => type === 'Running' || type === 'Restarting');
}

/** The status to write, if any, and what there is to tell of it. `before` is the stored one, less what is taken back. */
function statusChange(
  manifest: JobManifest,
  before: JobStatus,
  after: JobStatus,
): Pick<Plan, 'status' | 'events' | 'counters'> {
  return {
    status: mergePatch(manifest.status ?? {}, after) === undefined ? undefined : after,
    events: transitionEvents(before, after),
    counters: transitionCounters(before, after),
  };
}

function identity(adapter: FrameworkAdapter, { metadata }: JobManifest): Pick<TrainingJob, 'resource' | 'metadata'> {
  const { name = '', namespace = 'default', uid = '' } = metadata ?? {};
  return { resource: adapter.resource, metadata: { ...metadata, name, namespace, uid } };
}

function generationOf({ metadata }: JobManifest): number {
  return metadata?.generation ?? 0;
}
