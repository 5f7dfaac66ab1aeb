/** Roles whose pods a Job or a StatefulSet creates, restarts and replaces, because users look for such an object. */
import { ANNOTATIONS, type KubeObject, type Pod, type Resource } from '@muster/job-api';
import { workloadResourceOf, type WorkloadResource } from '../model/replica-identity.ts';
import type { ReplicaRole, TrainingJob, RoleTally } from '../model/training-job.ts';
import { ownResources, type OwnedResource, type OwnedKind } from '../model/owned-resources.ts';
import { momentOf } from '../model/moment-of.ts';
import { controllerOf } from '../model/ownership.ts';
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

const BATCH_JOBS: Resource<WorkloadObject> = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
};

const STATEFUL_SETS: Resource<WorkloadObject> = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
};

/** They are kept after a run, because their status is still needed. */
export const WORKLOAD_KINDS: Readonly<Record<WorkloadResource['kind'], OwnedKind<WorkloadObject>>> = {
  Job: { resource: BATCH_JOBS, endsWithRun: false, isReplaceable: true, trim: trimWorkload },
  StatefulSet: { resource: STATEFUL_SETS, endsWithRun: false, isReplaceable: true, trim: trimWorkload },
};

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
      conditions: conditions.map(({ type, status: holds, reason, message }) => ({
        type,
        status: holds,
        ...(reason && { reason }),
        ...(message && { message }),
      })),
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
  return ownedResources.find(
    ({ kind, object }) =>
      kind.resource === resource &&
      object.metadata?.name === roleName(job, role) &&
      controllerOf(object)?.uid === job.metadata.uid,
  )?.object;
}

export function ownWorkloads(
  job: Pick<TrainingJob, 'metadata'>,
  ownedResources: readonly OwnedResource[],
): OwnedResource[] {
  return ownResources(job, ownedResources).filter(({ kind }) => isWorkload(kind.resource));
}

export function podsOf(workload: KubeObject | undefined, pods: readonly Pod[]): Pod[] {
  const uid = workload?.metadata?.uid;
  return uid === undefined ? [] : pods.filter((pod) => controllerOf(pod)?.uid === uid);
}

export function jobReplica(
  role: ReplicaRole,
  workload: WorkloadObject | undefined,
  pods: readonly Pod[],
  hasSucceeded: boolean,
): ReplicaPod {
  const pod = pods.toSorted((a, b) => createdMs(b) - createdMs(a))[0];
  const replica = { role, index: 0, ...(workload && { workload }), ...(pod && { pod }) };
  return { ...replica, state: hasSucceeded ? 'succeeded' : stateOfJob(role, workload, pod) };
}

function stateOfJob(
  role: ReplicaRole,
  workload: WorkloadObject | undefined,
  pod: Pod | undefined,
): ReplicaPod['state'] {
  if (workload === undefined) return 'missing';
  if (saysCondition(workload, 'Complete')) return 'succeeded';
  if (saysCondition(workload, 'Failed')) return 'failed';
  if (workload.metadata?.deletionTimestamp !== undefined) return 'terminating';
  const state = pod === undefined ? 'pending' : stateOf(pod, role.containerName);
  if (state !== 'succeeded' && isReleasedFromJob(workload, pod)) return 'failed';
  // The Job replaces a pod that has failed or is being deleted.
  return state === 'running' || state === 'succeeded' ? state : 'pending';
}

/** A Job without `podFailurePolicy` counts every failed pod. No policy can match a pod that a node refused: it has no condition. */
export function isReleasedFromJob(workload: WorkloadObject, pod: Pod | undefined): boolean {
  if (pod === undefined || !isEndedByCluster(pod)) return false;
  const { reason = BACKOFF_LIMIT_EXCEEDED } = failureOf(workload) ?? {};
  return reason === BACKOFF_LIMIT_EXCEEDED && !isIgnoredByJob(workload, pod);
}

export function isIgnoredByJob(workload: WorkloadObject, pod: Pod): boolean {
  return workload.spec?.podFailurePolicy !== undefined && disruptionOf(pod) !== undefined;
}

const BACKOFF_LIMIT_EXCEEDED = 'BackoffLimitExceeded';

/** One replica of a StatefulSet, which replaces its pods itself. */
export function memberOf(
  role: ReplicaRole,
  index: number,
  workload: WorkloadObject | undefined,
  pod: Pod | undefined,
): ReplicaPod {
  const replica = { role, index, ...(workload && { workload }), ...(pod && { pod }) };
  const state = pod === undefined ? 'missing' : stateOf(pod, role.containerName);
  return { ...replica, state: state === 'failed' || state === 'succeeded' ? 'pending' : state };
}

export function failureOf(workload: WorkloadObject | undefined): RoleTally['failure'] {
  const failed = workload?.status?.conditions?.find(({ type, status }) => type === 'Failed' && status === 'True');
  return failed && { reason: failed.reason ?? '', message: failed.message ?? '' };
}

/** @param newest the Job's newest pod */
export function replacedPods(workload: WorkloadObject | undefined, newest: Pod): number {
  const failed = workload?.status?.failed ?? 0;
  return Math.max(0, failed - (newest.status?.phase === 'Failed' || saysCondition(workload, 'Failed') ? 1 : 0));
}

export function hasWorkloadEnded(workload: WorkloadObject | undefined): boolean {
  return saysCondition(workload, 'Complete') || saysCondition(workload, 'Failed');
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

function saysCondition(workload: WorkloadObject | undefined, wanted: string): boolean {
  return workload?.status?.conditions?.some(({ type, status }) => type === wanted && status === 'True') ?? false;
}

function createdMs({ metadata }: Pod): number {
  return momentOf(metadata?.creationTimestamp) ?? 0;
}
