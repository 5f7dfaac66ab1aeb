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

const RAY = { group: 'ray.io/group', nodeType: 'ray.io/node-type' } as const;
const VOLCANO = { task: 'volcano.sh/task-spec', index: 'volcano.sh/task-index' } as const;

/** The role, as in {@link replicasByRole}; undefined if the pod has no label for it. */
export function roleOf(pod: Life): string | undefined {
  const labels = firstOf(pod).object.metadata?.labels ?? {};
  // `jobRole` is last: on pods of other kinds than MPIJob it only marks the leading pod.
  return labels[LABELS.replicaType] ?? labels[VOLCANO.task] ?? labels[RAY.group] ?? labels[LABELS.jobRole];
}

/**
 * The role and index, or undefined if a pod of the replica may be created while an earlier one still terminates: a worker of Ray, which has
 * a name of its own.
 */
export function replicaOf(pod: Life): { readonly role: string; readonly index: string } | undefined {
  const labels = firstOf(pod).object.metadata?.labels ?? {};
  const role = roleOf(pod);
  const isSingle = labels[RAY.nodeType] === 'head' || labels[LABELS.jobRole] === 'launcher';
  const index = labels[LABELS.replicaIndex] ?? labels[VOLCANO.index] ?? (isSingle ? '0' : undefined);
  return role === undefined || index === undefined ? undefined : { role, index };
}

/** Kinds with another public status have Kubeflow's in the field `muster`. */
export function statusOf({ status = {} }: StoredObject): JobStatus {
  const { muster } = status as { readonly muster?: JobStatus };
  return muster ?? status;
}

/** Reasons of a condition Failed that a correction or a Command of Volcano ends. */
const NOT_FINAL: ReadonlySet<string | undefined> = new Set(['InvalidSpec', 'JobAborted']);

/** Whether the job has ended for good. */
export function hasFinalEnd(job: StoredObject): boolean {
  const status = statusOf(job);
  const failed = status.conditions?.find(({ type }) => type === 'Failed');
  return isFinished(status) && !NOT_FINAL.has(failed?.reason);
}

export function isSuspended(job: StoredObject): boolean {
  return hasCondition(statusOf(job).conditions, 'Suspended');
}

/** Whether the job waits for quota of Kueue. */
export function isQueued(job: StoredObject): boolean {
  const suspended = statusOf(job).conditions?.find(({ type, status }) => type === 'Suspended' && status === 'True');
  return ['Queued', 'Evicted'].includes(suspended?.reason ?? '');
}

/** Whether a RayJob or RayService waits because its RayCluster does. */
export function hasQueuedCluster({ owned }: JobStory): boolean {
  return owned.some((life) => life.gone === undefined && isQueued(lastOf(life).object));
}

/** Whether the user wants the job to be suspended. A Volcano Job has it only in its status: Commands suspend it. */
export function wantsSuspension(job: StoredObject): boolean {
  if (isVolcanoJob(job)) return isSuspended(job);
  const { suspend, runPolicy } = (job.spec ?? {}) as { suspend?: boolean; runPolicy?: { suspend?: boolean } };
  return suspend === true || runPolicy?.suspend === true;
}

export function isVolcanoJob({ apiVersion = '' }: StoredObject): boolean {
  return apiVersion.startsWith('batch.volcano.sh/');
}

interface SpecWithRoles {
  readonly headGroupSpec?: object;
  readonly workerGroupSpecs?: readonly { groupName: string; replicas?: number; numOfHosts?: number }[];
  readonly tasks?: readonly { readonly name: string; readonly replicas?: number }[];
}

/** The number of pods by role, in lower case; empty for kinds whose pods are those of other jobs, such as a RayJob. */
export function replicasByRole({ spec = {} }: StoredObject): ReadonlyMap<string, number> {
  const { headGroupSpec, workerGroupSpecs = [], tasks = [] }: SpecWithRoles = spec;
  if (headGroupSpec !== undefined) {
    const workers = workerGroupSpecs.map(
      ({ groupName, replicas = 0, numOfHosts = 1 }) => [groupName, replicas * numOfHosts] as const,
    );
    return new Map([['headgroup', 1], ...workers]);
  }
  const [, specs] = Object.entries(spec).find(([field]) => field.endsWith('ReplicaSpecs')) ?? [];
  const roles = Object.entries((specs ?? {}) as Record<string, { readonly replicas?: number } | undefined>);
  return new Map([
    ...roles.map(([role, each]) => [role.toLowerCase(), each?.replicas ?? 1] as const),
    ...tasks.map(({ name, replicas = 0 }) => [name, replicas] as const),
  ]);
}
