/** Which owned resources a job has, and which kinds of them an operator has to watch: the framework's own, the autoscaler, the pod group. */
import { ENDPOINT_SLICE_KIND } from '../network/endpoint-slices.ts';
import { HORIZONTAL_POD_AUTOSCALERS, type HorizontalPodAutoscaler, type KubeObject } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobContext } from '../model/job-context.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { autoscalerChange } from '../autoscaling/autoscaler-change.ts';
import { desiredAutoscaler } from '../autoscaling/desired-autoscaler.ts';
import type { OwnedResource, ResourceChange, OwnedKind, DesiredResource } from './owned-resources.ts';
import { isBusy } from '../gang/fixed-size.ts';
import { groupKinds } from '../gang/gang-settings.ts';
import type { GangScheduler, PodGroups } from '../gang/gang-scheduler.ts';
import { gangsOf } from '../gang/gang-size.ts';
import { ownerReference } from '../model/ownership.ts';
import { combined, jobPermissions, readPermissions, type Permission } from '../operator/permissions.ts';
import type { ReplicaPod } from '../pods/replica-pods.ts';
import { trimmedMeta } from '../pods/trim.ts';
import { WORKLOAD_KINDS } from '../workloads/workloads.ts';

const AUTOSCALERS: OwnedKind<HorizontalPodAutoscaler> = {
  resource: HORIZONTAL_POD_AUTOSCALERS,
  endsWithRun: true,
  isOptional: true,
  trim: ({ metadata, spec }) => ({ ...trimmedMeta(metadata), ...(spec && { spec }) }),
};

function podGroups({ resource, isReplaceable = false }: PodGroups): OwnedKind {
  // A group's spec and status are all there is to it.
  return {
    resource,
    endsWithRun: true,
    isReplaceable,
    trim: (group) => ({ ...group, ...trimmedMeta(group.metadata) }),
  };
}

export function ownedKinds(
  adapter: FrameworkAdapter,
  gang: GangScheduler | undefined,
  others: readonly GangScheduler[] = [],
): OwnedKind[] {
  // Schedulers of several names may have the same kind of groups.
  const groups = groupKinds({ gang, gangs: others });
  const byKind = new Map(groups.map((each) => [each.resource, each] as const));
  return [
    ...(adapter.ownedResources?.kinds ?? []),
    ...(adapter.commands === undefined ? [] : [adapter.commands.kind]),
    ...(adapter.workloads?.kinds ?? []).map((kind) => WORKLOAD_KINDS[kind]),
    ...(adapter.network === undefined ? [] : [ENDPOINT_SLICE_KIND]),
    ...(adapter.autoscaling === undefined ? [] : [AUTOSCALERS]),
    ...[...byKind.values()].map(podGroups),
  ];
}

/** All that the framework's operator has to be allowed to do in the namespaces whose jobs it runs. */
export function operatorPermissions(
  adapters: readonly FrameworkAdapter[],
  gang: GangScheduler | undefined,
  others: readonly GangScheduler[] = [],
): Permission[] {
  const all = adapters.flatMap((adapter) => {
    const referred = (adapter.references?.kinds ?? []).map(({ resource }) => resource);
    return [
      ...jobPermissions(adapter.resource, adapter.network !== undefined, ownedKinds(adapter, gang, others)),
      ...readPermissions(referred),
      ...(adapter.ownedResources?.permissions ?? []),
    ];
  });
  return combined(all);
}

/** What the framework wants a job to have that has not ended. */
export function frameworkOwnedResources(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  replicas: readonly ReplicaPod[],
  context: JobContext,
): DesiredResource[] {
  const desired = adapter.ownedResources?.desired(job, replicas, context) ?? [];
  return desired.map((each) => asOwned(adapter, job, each));
}

/** What a job that may run should have. */
export function desiredOwnedResources(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  gang: GangScheduler | undefined,
  replicas: readonly ReplicaPod[],
  context: JobContext,
): DesiredResource[] {
  const autoscaling = adapter.autoscaling?.autoscaler(job);
  return [
    ...frameworkOwnedResources(adapter, job, replicas, context),
    ...(autoscaling === undefined
      ? []
      : [autoscaler(desiredAutoscaler(job, adapter.labels.ofJob(job.metadata.name), autoscaling))]),
    ...(gang?.groups === undefined ? [] : podGroupsOf(adapter, job, gang.groups, replicas)),
  ];
}

function podGroupsOf(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  groups: PodGroups,
  replicas: readonly ReplicaPod[],
): DesiredResource[] {
  const begun = new Set(replicas.filter(({ pod }) => pod !== undefined).map(({ role }) => role));
  return gangsOf(adapter, job, begun).map(({ name, size, roles }) => {
    const group = groups.desired(job, size, roles);
    const named = { ...group, metadata: { ...group.metadata, name } };
    const members = replicas.filter(({ role }) => roles.includes(role));
    return podGroup(groups, asChild(adapter, job, named), members);
  });
}

function autoscaler(object: HorizontalPodAutoscaler): DesiredResource {
  return {
    resource: HORIZONTAL_POD_AUTOSCALERS,
    object,
    change: (existing) => asChange(autoscalerChange(existing, object)),
  };
}

function podGroup(groups: PodGroups, object: KubeObject, replicas: readonly ReplicaPod[]): DesiredResource {
  const change = (existing: KubeObject) => {
    const wanted = groups.change(existing, object);
    if (wanted !== 'Recreate') return asChange(wanted);
    return isBusy(replicas) ? undefined : wanted;
  };
  return { resource: groups.resource, object, change };
}

function asChange(patch: object | undefined): ResourceChange | undefined {
  return patch && { patch };
}

/** `desired` as the job's own. */
export function asOwned(adapter: FrameworkAdapter, job: TrainingJob, desired: DesiredResource): DesiredResource {
  return { ...desired, object: asChild(adapter, job, desired.object) };
}

/** `object` as the job's own, and with the labels by which it is found. */
export function asChild(adapter: FrameworkAdapter, job: TrainingJob, object: KubeObject): KubeObject {
  const { metadata } = object;
  return {
    ...object,
    metadata: {
      ...metadata,
      namespace: job.metadata.namespace,
      labels: { ...metadata?.labels, ...adapter.labels.ofJob(job.metadata.name) },
      ownerReferences: [ownerReference(job)],
    },
  };
}

/** The group of that name among the job's owned resources. */
export function podGroupOf(
  { resource }: PodGroups,
  own: readonly OwnedResource[],
  name: string,
): KubeObject | undefined {
  return own.find(({ kind, object }) => kind.resource === resource && object.metadata?.name === name)?.object;
}
