import { createHash } from 'node:crypto';
import { ANNOTATIONS, apiVersionOf, LABELS, type PodSpec } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import type { DesiredResource } from '../model/owned-resources.ts';
import {
  growsInSlices,
  holds,
  KUEUE_LABELS,
  KUEUE_WORKLOADS,
  QUEUEING_RESOURCES,
  SLICE_ANNOTATIONS,
  type KueueWorkload,
  type PodSet,
  type PodSetCount,
} from './kueue-objects.ts';
import type { QueueingObjects } from '../model/queueing-objects.ts';
import { topologyRequestOf } from './topology.ts';

export function podSetsOf(adapter: Pick<FrameworkAdapter, 'elastic' | 'labels'>, job: TrainingJob): PodSet[] {
  // Kueue supports either partial admission or slices.
  const elastic = growsInSlices(job) ? undefined : adapter.elastic?.workers?.(job);
  return job.roles
    .filter(({ replicas }) => replicas > 0)
    .map((role) => {
      const least = elastic?.role === role.name ? Math.max(1, elastic.least) : role.replicas;
      const hasIndexLabel = LABELS.replicaIndex in adapter.labels.ofPod(job, { role, index: 0 });
      const topologyRequest = topologyRequestOf(role.template, hasIndexLabel ? LABELS.replicaIndex : undefined);
      return {
        name: podSetName(role),
        count: role.replicas,
        ...(least < role.replicas && { minCount: least }),
        ...(topologyRequest && { topologyRequest }),
        template: role.template,
      };
    });
}

export function podSetName({ name }: ReplicaRole): string {
  return name.toLowerCase();
}

type QueuePriority = ReturnType<typeof priorityIn>;

/** In Kueue's order: the job's label, its scheduling policy, the priority class of its pods. */
export function priorityOf(
  { metadata, roles, runPolicy }: TrainingJob,
  objects: QueueingObjects,
): QueuePriority | undefined {
  const label = metadata.labels?.[KUEUE_LABELS.priorityClass];
  if (label !== undefined) return priorityIn('workloadPriorityClasses', objects, label);
  const ofPods = roles.map(({ template }) => template.spec?.priorityClassName);
  const name = [runPolicy.schedulingPolicy?.priorityClass, ...ofPods].find(Boolean);
  return name === undefined ? undefined : priorityIn('priorityClasses', objects, name);
}

function priorityIn(classes: 'workloadPriorityClasses' | 'priorityClasses', objects: QueueingObjects, name: string) {
  const { group, kind } = QUEUEING_RESOURCES[classes];
  const found = objects[classes].find(({ metadata }) => metadata?.name === name);
  return { ref: { group, kind, name }, value: found && (found.value ?? 0) };
}

export function missingPriorityClass(priority: QueuePriority | undefined): string | undefined {
  if (priority === undefined || priority.value !== undefined) return undefined;
  const { kind, name } = priority.ref;
  return `There is no ${kind} ${name}: create it, or use another one.`;
}

/** Contains kind and UID, because jobs of other kinds, or earlier ones, may have the same name. */
export function workloadName({ resource, metadata }: Pick<TrainingJob, 'resource' | 'metadata'>): string {
  return `${resource.kind.toLowerCase()}-${metadata.name}-${metadata.uid.slice(0, 8)}`;
}

export interface WorkloadRequest {
  readonly queue: string;
  readonly podSets: readonly PodSet[];
  readonly priority: QueuePriority | undefined;
  readonly done: (name: string) => number;
}

export function queueWorkload(
  job: TrainingJob,
  requested: WorkloadRequest,
  current: KueueWorkload | undefined,
): DesiredResource<KueueWorkload> {
  return {
    resource: KUEUE_WORKLOADS,
    object: workloadObject(job, requested, current?.metadata?.name ?? workloadName(job)),
    // Granted quota holds for these pods only.
    change: (existing) =>
      isFor(existing, requested) && fits(existing, requested) && !holds(existing, 'Finished') ? undefined : 'Recreate',
  };
}

export function workloadObject(
  job: TrainingJob,
  requested: WorkloadRequest,
  name: string,
  annotations: Readonly<Record<string, string>> = {},
): KueueWorkload {
  const { queue: queueName, podSets, priority } = requested;
  const spec = {
    queueName,
    podSets,
    ...(priority && { priorityClassRef: priority.ref, priority: priority.value ?? 0 }),
  };
  return {
    apiVersion: apiVersionOf(KUEUE_WORKLOADS),
    kind: KUEUE_WORKLOADS.kind,
    metadata: {
      name,
      labels: { [KUEUE_LABELS.jobUid]: job.metadata.uid },
      annotations: {
        [ANNOTATIONS.template]: digestOf(requested),
        ...(growsInSlices(job) && { [SLICE_ANNOTATIONS.elastic]: 'true' }),
        ...annotations,
      },
    },
    spec,
  };
}

export function isFor({ metadata }: KueueWorkload, requested: WorkloadRequest): boolean {
  return metadata?.annotations?.[ANNOTATIONS.template] === digestOf(requested);
}

export function hasSize({ spec }: KueueWorkload, { podSets }: WorkloadRequest): boolean {
  return podSets.every(({ name, count }) => count === countOf(spec?.podSets ?? [], name));
}

/** True if its quota covers all wanted pods. A job that shrinks keeps its Workload and reports reclaimable pods. */
export function fits(existing: KueueWorkload, requested: WorkloadRequest): boolean {
  if (!holds(existing, 'QuotaReserved')) return hasSize(existing, requested);
  const { admission, reclaimablePods = [] } = existing.status ?? {};
  return requested.podSets.every(({ name, count }) => {
    const before = countOf(existing.spec?.podSets ?? [], name);
    const granted = admission?.podSetAssignments?.find((each) => each.name === name)?.count ?? before;
    const given = countOf(reclaimablePods, name);
    return count <= before && (given === 0 || Math.min(count, granted) - requested.done(name) <= granted - given);
  });
}

export function countOf(counts: readonly PodSetCount[], name: string): number {
  const found = counts.find((each) => each.name === name);
  return found === undefined ? 0 : (found.count ?? 1);
}

/**
 * Covers the fields by which Kueue decides, as the user wrote them, since the API server adds defaults. Other fields,
 * and the version of Muster, may change while the quota is held.
 */
function digestOf({ queue, podSets, priority }: WorkloadRequest): string {
  const made = podSets.map(({ name, template, topologyRequest }) => [
    name,
    decisiveOf(template.spec),
    ...(topologyRequest ? [topologyRequest] : []),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([queue, priority?.ref ?? null, made]))
    .digest('hex')
    .slice(0, 16);
}

function decisiveOf(spec: PodSpec = { containers: [] }): object {
  const { containers, initContainers = [], nodeSelector, affinity, tolerations } = spec;
  const { overhead, resourceClaims, runtimeClassName } = spec;
  const takes = [...containers, ...initContainers].map(({ name, resources, restartPolicy }) => [
    name,
    resources,
    restartPolicy,
  ]);
  return { takes, nodeSelector, affinity, tolerations, overhead, resourceClaims, runtimeClassName };
}
