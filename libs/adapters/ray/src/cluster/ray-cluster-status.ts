/**
 * A cluster's status in KubeRay's format. As in KubeRay, `state` of a ready cluster does not change when pods fail
 * later, and a resumed one is `suspended` until it is ready again; conditions are precise.
 */
import type { ReplicaPod, StatusView } from '@muster/common-job-controller';
import { isReady } from '@muster/common-job-controller';
import {
  INVALID_SPEC,
  SERVICES,
  type JobStatus,
  type KubeObject,
  type RayCluster,
  type RayClusterStatus,
  type Service,
} from '@muster/job-api';
import { headServiceName } from '../model/names.ts';
import { timeOf } from '../model/time-of.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { desiredResources, workerCounts } from '../status/desired-resources.ts';
import { rayConditions, type ClusterState } from './ray-cluster-conditions.ts';
import { HEAD_ROLE, type RayClusterOptions } from './ray-cluster-roles.ts';

type View = StatusView<RayCluster, RayClusterOptions>;

export function rayClusterStatus(record: JobStatus, view: View): RayClusterStatus {
  const { manifest, job } = view;
  const before = manifest.status ?? {};
  const { muster: _record, lastUpdateTime, ...known } = before;
  const status: RayClusterStatus =
    job === undefined
      ? { ...known, ...unreadable(record) }
      : { ...kept(known), ...shownOf(record, view, job.options.cluster) };
  const now = timeOf(view.context.nowMs);
  const state = status.state === before.state ? undefined : status.state;
  const entered = state === undefined ? {} : { stateTransitionTimes: { ...before.stateTransitionTimes, [state]: now } };
  const whole = { ...status, ...entered };
  const isNews = JSON.stringify(sorted(whole)) !== JSON.stringify(sorted(known));
  return { ...whole, lastUpdateTime: isNews || lastUpdateTime === undefined ? now : lastUpdateTime };
}

/** Values that do not derive from the current state. */
function kept({ state, conditions, stateTransitionTimes }: RayClusterStatus): RayClusterStatus {
  return {
    ...(state !== undefined && { state }),
    ...(conditions && { conditions }),
    ...(stateTransitionTimes && { stateTransitionTimes }),
  };
}

/** For a cluster with an invalid spec. */
function unreadable({ conditions = [], observedGeneration }: JobStatus): RayClusterStatus {
  const invalid = conditions.find(({ reason, status }) => reason === INVALID_SPEC && status === 'True');
  return {
    ...(invalid && { state: 'failed', reason: invalid.message ?? '' }),
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
}

function shownOf(record: JobStatus, view: View, cluster: ClusterModel): RayClusterStatus {
  const { manifest, replicas, context, job } = view;
  const isSuspended = job?.runPolicy.suspend === true;
  const head = replicas.find(({ role, pod }) => role.name === HEAD_ROLE && pod !== undefined);
  const workers = replicas.filter(({ role }) => role.name !== HEAD_ROLE);
  const failure = record.conditions?.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  const isWhole =
    replicas.length > 0 && replicas.every(isUp) && workers.length >= workerCounts(cluster).desiredWorkerReplicas;
  const now: ClusterState = {
    head,
    isSuspended,
    podsLeft: context.pods.filter((pod) => isOwn(pod, cluster)).length,
    isReady: !isSuspended && isWhole && failure === undefined,
    ...(failure && { failure }),
  };
  const { observedGeneration } = record;
  return {
    ...stateOf(manifest.status?.state, now),
    ...workerCounts(cluster),
    availableWorkerReplicas: workers.filter(({ state }) => state === 'running').length,
    readyWorkerReplicas: workers.filter(isUp).length,
    ...desiredResources(cluster),
    ...headOf(
      cluster,
      head,
      context.ownedResources.map(({ kind, object }) => ({ resource: kind.resource, object })),
    ),
    conditions: rayConditions(manifest.status?.conditions ?? [], now, timeOf(context.nowMs)),
    ...(failure && { reason: failure.message ?? '' }),
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
}

function isOwn({ metadata }: KubeObject, { uid }: ClusterModel): boolean {
  return metadata?.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
}

function stateOf(before: string | undefined, { isReady: isUpAndReady, isSuspended, podsLeft }: ClusterState) {
  if (isUpAndReady) return { state: 'ready' };
  if (isSuspended && podsLeft === 0) return { state: 'suspended' };
  // The spec is valid again.
  return before === undefined || before === 'failed' ? {} : { state: before };
}

function isUp({ state, pod }: ReplicaPod): boolean {
  return state === 'running' && isReady(pod);
}

function headOf(
  cluster: ClusterModel,
  head: ReplicaPod | undefined,
  owned: readonly { readonly resource: unknown; readonly object: KubeObject }[],
): Pick<RayClusterStatus, 'endpoints' | 'head'> {
  const serviceName = headServiceName(cluster);
  const found = owned.find(({ resource, object }) => resource === SERVICES && object.metadata?.name === serviceName);
  if (found === undefined) return {};
  const { spec } = found.object as Service;
  const podIP = head?.pod?.status?.podIP ?? '';
  const { clusterIP = '' } = spec ?? {};
  const ports = (spec?.ports ?? []).map(({ name, port }) => [name ?? String(port), String(port)] as const);
  return {
    endpoints: Object.fromEntries(ports),
    head: {
      podIP,
      podName: head?.pod?.metadata?.name ?? '',
      serviceIP: clusterIP === '' || clusterIP === 'None' ? podIP : clusterIP,
      serviceName,
    },
  };
}

/** With sorted keys, because the stored order may differ. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
