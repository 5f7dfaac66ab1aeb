/** Roles whose pods a Job or a StatefulSet creates, restarts and replaces, because users look for such an object. */
import { ANNOTATIONS, type KubeObject, momentOf, type Pod, type Resource } from '@muster/job-api';
import { workloadResourceOf, type WorkloadResource } from '../model/replica-identity.ts';
import type { ReplicaRole, TrainingJob, RoleTally } from '../model/training-job.ts';
import { ownResources, type OwnedResource, type OwnedKind } from '../model/owned-resources.ts';
import { controllerOf, isControlledBy } from '../model/ownership.ts';
import { roleName } from '../model/pod-name.ts';
import { disruptionOf, isEndedByCluster } from '../pods/pod-end.ts';
import { stateOf } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { trimmedMeta } from '../pods/trim.ts';

export interface WorkloadObject extends KubeObject {
  spec?: {
    suspend?: boolean;
    replicas?: number;
    podFailurePolicy?: object;
    template?: { spec?: { nodeSelector?: Readonly<Record<string, string>> } };
  };
  status?: {
    startTime?: string;
    failed?: number;
    conditions?: readonly { type: string; status: string; reason?: string; message?: string }[];
  };
}

export const WORKLOAD_KINDS: Readonly<Record<WorkloadResource['kind'], OwnedKind<WorkloadObject>>> = {
  Job: workloadKind('batch', 'Job', 'jobs'),
  StatefulSet: workloadKind('apps', 'StatefulSet', 'statefulsets'),
};

/** They are kept after a run, because their status is still needed. */
function workloadKind(group: string, kind: string, plural: string): OwnedKind<WorkloadObject> {
  const resource = { group, version: 'v1', kind, plural, namespaced: true };
  return { resource, endsWithRun: false, isReplaceable: true, trim: trimWorkload };
}

function trimWorkload({ metadata, spec, status }: WorkloadObject): WorkloadObject {
  const { suspend, replicas, podFailurePolicy, template } = spec ?? {};
  const { nodeSelector } = template?.spec ?? {};
  const { startTime, failed, conditions = [] } = status ?? {};
  const digest = metadata?.annotations?.[ANNOTATIONS.template];
  return {
    metadata: {
      ...trimmedMeta(metadata).metadata,
      ...(digest !== undefined && { annotations: { [ANNOTATIONS.template]: digest } }),
    },
    spec: {
      ...(suspend !== undefined && { suspend }),
      ...(replicas !== undefined && { replicas }),
      ...(podFailurePolicy && { podFailurePolicy }),
      ...(nodeSelector && { template: { spec: { nodeSelector } } }),
    },
    status: {
      ...(startTime && { startTime }),
      ...(failed && { failed }),
      conditions,
    },
  };
}

/** The role's object, also one that is being deleted. */
export function workloadOf(
  job: Pick<TrainingJob, 'metadata'>,
  role: Pick<ReplicaRole, 'name' | 'identity'>,
  ownedResources: readonly OwnedResource[],
): WorkloadObject | undefined {
  const made = workloadResourceOf(role);
  if (made === undefined) return undefined;
  const { resource } = WORKLOAD_KINDS[made.kind];
  const named = ownedResources.filter(({ object }) => object.metadata?.name === roleName(job, role));
  return named.find(({ kind, object }) => kind.resource === resource && isControlledBy(job.metadata.uid, object))
    ?.object;
}

export function ownWorkloads(job: Pick<TrainingJob, 'metadata'>, existing: readonly OwnedResource[]): OwnedResource[] {
  return ownResources(job, existing).filter(({ kind }) => isWorkload(kind.resource));
}

export function podsOf(workload: KubeObject | undefined, pods: readonly Pod[]): Pod[] {
  return pods.filter((pod) => isControlledBy(workload?.metadata?.uid, pod));
}

export function replicaOfBatchJob(
  role: ReplicaRole,
  workload: WorkloadObject | undefined,
  pods: readonly Pod[],
  hasSucceeded: boolean,
): ReplicaPod {
  const createdMs = ({ metadata }: Pod) => momentOf(metadata?.creationTimestamp) ?? 0;
  const pod = pods.toSorted((a, b) => createdMs(b) - createdMs(a))[0];
  const state = hasSucceeded ? 'succeeded' : stateOfJob(role, workload, pod);
  return { role, index: 0, ...(workload && { workload }), ...(pod && { pod }), state };
}

function stateOfJob(role: ReplicaRole, workload?: WorkloadObject, pod?: Pod): ReplicaPod['state'] {
  if (workload === undefined) return 'missing';
  if (conditionOf(workload, 'Complete') !== undefined) return 'succeeded';
  if (conditionOf(workload, 'Failed') !== undefined) return 'failed';
  if (workload.metadata?.deletionTimestamp !== undefined) return 'terminating';
  const state = pod === undefined ? 'pending' : stateOf(pod, role.containerName);
  if (state !== 'succeeded' && isReleasedFromJob(workload, pod)) return 'failed';
  // The Job replaces a pod that has failed or is being deleted.
  return state === 'running' || state === 'succeeded' ? state : 'pending';
}

/** A Job without `podFailurePolicy` counts every failed pod. A pod that a node refused has no condition to match. */
export function isReleasedFromJob(workload: WorkloadObject, pod: Pod | undefined): boolean {
  if (pod === undefined || !isEndedByCluster(pod)) return false;
  const { reason = BACKOFF_LIMIT_EXCEEDED } = workloadFailure(workload) ?? {};
  return reason === BACKOFF_LIMIT_EXCEEDED && !isIgnoredByJob(workload, pod);
}

export function isIgnoredByJob(workload: WorkloadObject, pod: Pod): boolean {
  return workload.spec?.podFailurePolicy !== undefined && disruptionOf(pod) !== undefined;
}

const BACKOFF_LIMIT_EXCEEDED = 'BackoffLimitExceeded';

/** A StatefulSet replaces its pods itself. */
export function replicaOfStatefulSet(
  role: ReplicaRole,
  index: number,
  workload?: WorkloadObject,
  pod?: Pod,
): ReplicaPod {
  const ofPod = pod === undefined ? 'missing' : stateOf(pod, role.containerName);
  const state = ofPod === 'failed' || ofPod === 'succeeded' ? 'pending' : ofPod;
  return { role, index, ...(workload && { workload }), ...(pod && { pod }), state };
}

export function workloadFailure(workload: WorkloadObject | undefined): RoleTally['failure'] {
  const failed = conditionOf(workload, 'Failed');
  return failed && { reason: failed.reason ?? '', message: failed.message ?? '' };
}

/** @param newest the Job's newest pod */
export function replacedPods(workload: WorkloadObject | undefined, newest: Pod): number {
  const failed = workload?.status?.failed ?? 0;
  const hasFailed = newest.status?.phase === 'Failed' || conditionOf(workload, 'Failed') !== undefined;
  return Math.max(0, failed - (hasFailed ? 1 : 0));
}

export function hasWorkloadEnded(workload: WorkloadObject | undefined): boolean {
  return (conditionOf(workload, 'Complete') ?? conditionOf(workload, 'Failed')) !== undefined;
}

/** Whether it has no pods by its spec and has not ended, so that it can run again. */
export function isAtRest(workload: WorkloadObject): boolean {
  return !hasWorkloadEnded(workload) && (workload.spec?.suspend === true || workload.spec?.replicas === 0);
}

export function isWorkload(resource: Resource): boolean {
  return Object.values(WORKLOAD_KINDS).some((kind: OwnedKind) => kind.resource === resource);
}

export function isCreatedByWorkload(pod: Pod, workloads: readonly OwnedResource[]): boolean {
  const uid = controllerOf(pod)?.uid;
  return uid !== undefined && workloads.some(({ object }) => object.metadata?.uid === uid);
}

/** If it holds. */
function conditionOf(workload: WorkloadObject | undefined, wanted: 'Complete' | 'Failed') {
  return workload?.status?.conditions?.find(({ type, status }) => type === wanted && status === 'True');
}
