import { ENDPOINT_SLICE_KIND } from '../network/endpoint-slices.ts';
import { HORIZONTAL_POD_AUTOSCALERS, type HorizontalPodAutoscaler, type KubeObject } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobContext } from '../model/job-context.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { autoscalerChange, desiredAutoscaler } from '../elastic/desired-autoscaler.ts';
import type { OwnedKind, DesiredResource } from '../model/owned-resources.ts';
import { isBusy } from '../gang/fixed-size.ts';
import { groupKinds } from '../contract/gang-settings.ts';
import type { GangScheduler, PodGroups } from '../contract/gang-scheduler.ts';
import { gangsOf } from '../gang/gang-size.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { trimmedMeta } from '../pods/trim.ts';
import { WORKLOAD_KINDS } from '../workloads/workloads.ts';
import { frameworkOwnedResources, asChild } from '../owned-resources/as-owned.ts';

const AUTOSCALERS: OwnedKind<HorizontalPodAutoscaler> = {
  resource: HORIZONTAL_POD_AUTOSCALERS,
  endsWithRun: true,
  isOptional: true,
  trim: ({ metadata, spec }) => ({ ...trimmedMeta(metadata), ...(spec && { spec }) }),
};

function podGroups({ resource, isReplaceable = false }: PodGroups): OwnedKind {
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
  // Several scheduler names may share one kind of pod groups.
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
      : [autoscalerOf(desiredAutoscaler(job, adapter.labels.ofJob(job.metadata.name), autoscaling))]),
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
    const object = asChild(adapter, job, named);
    const change = (existing: KubeObject) => {
      const patch = groups.change(existing, object);
      if (patch !== 'Recreate') return patch && { patch };
      return isBusy(replicas.filter(({ role }) => roles.includes(role))) ? undefined : patch;
    };
    return { resource: groups.resource, object, change };
  });
}

function autoscalerOf(object: HorizontalPodAutoscaler): DesiredResource {
  const change = (existing: KubeObject) => {
    const patch = autoscalerChange(existing, object);
    return patch && { patch };
  };
  return { resource: HORIZONTAL_POD_AUTOSCALERS, object, change };
}
