/** What a version of a pod or of a job means. */
import { isFinished, hasCondition, LABELS, type JobStatus, type KubeObject, type Pod } from '@muster/job-api';
import { firstOf, type JobStory, lastOf, type Life } from './job-story.ts';
import type { StoredObject } from './history.ts';

export function phaseOf(pod: StoredObject): string {
  return (pod as KubeObject as Pod).status?.phase ?? 'Pending';
}

export function hasEnded(pod: StoredObject): boolean {
  return ['Succeeded', 'Failed'].includes(phaseOf(pod));
}

export function isDeleting({ metadata }: StoredObject): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

/** Whether the object is gone, or only its kubelet or Kubernetes' garbage collector still has to remove it. */
export function isLeftToKubernetes(life: Life): boolean {
  const { object } = lastOf(life);
  const { finalizers = [] } = object.metadata ?? {};
  return life.gone !== undefined || (isDeleting(object) && finalizers.length === 0);
}

/** Whether only Kubernetes still holds a deleted job, with what it owns. */
export function isHeldByKubernetes(job: JobStory): boolean {
  const { metadata } = lastOf(job).object;
  const isOnlyForeground = (metadata?.finalizers ?? []).every((each) => each === 'foregroundDeletion');
  return metadata?.deletionTimestamp !== undefined && isOnlyForeground && job.owned.every(isLeftToKubernetes);
}

/** An eviction, a preemption or a lost node. */
export function isDisrupted(pod: StoredObject): boolean {
  const conditions = (pod as KubeObject as Pod).status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
}

/** The role and index, or undefined if the pod has no labels for them. */
export function replicaOf(pod: Life): { readonly role: string; readonly index: string } | undefined {
  const labels = firstOf(pod).object.metadata?.labels ?? {};
  const [role, index] = [labels[LABELS.replicaType], labels[LABELS.replicaIndex]];
  return role === undefined || index === undefined ? undefined : { role, index };
}

/** Kinds with another public status have Kubeflow's in the field `muster`. */
export function statusOf({ status = {} }: StoredObject): JobStatus {
  const { muster } = status as { readonly muster?: JobStatus };
  return muster ?? status;
}

/** Whether the job has ended for good: `InvalidSpec` is not final. */
export function hasFinalEnd(job: StoredObject): boolean {
  const status = statusOf(job);
  const failed = status.conditions?.find(({ type }) => type === 'Failed');
  return isFinished(status) && failed?.reason !== 'InvalidSpec';
}

export function isSuspended(job: StoredObject): boolean {
  return hasCondition(statusOf(job).conditions, 'Suspended');
}

/** Whether the user wants the job to be suspended. */
export function wantsSuspension({ spec = {} }: StoredObject): boolean {
  const { suspend, runPolicy } = spec as { readonly suspend?: boolean; readonly runPolicy?: { suspend?: boolean } };
  return suspend === true || runPolicy?.suspend === true;
}

/** The number of replicas by role, in lower case; empty for kinds without roles in `*ReplicaSpecs`. */
export function replicasByRole({ spec = {} }: StoredObject): ReadonlyMap<string, number> {
  const [, specs] = Object.entries(spec).find(([field]) => field.endsWith('ReplicaSpecs')) ?? [];
  return new Map(
    Object.entries((specs ?? {}) as Record<string, { readonly replicas?: number } | undefined>).map(([role, each]) => [
      role.toLowerCase(),
      each?.replicas ?? 1,
    ]),
  );
}
