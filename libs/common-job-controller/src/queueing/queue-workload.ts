/** The Workload of a job, by which Kueue counts its pods against a quota before there are any. */
import { createHash } from 'node:crypto';
import { ANNOTATIONS, LABELS, type KubeObject, type PodSpec } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import type { DesiredResource } from '../owned-resources/owned-resources.ts';
import {
  holds,
  KUEUE_GROUP,
  KUEUE_LABELS,
  KUEUE_WORKLOADS,
  PRIORITY_CLASSES,
  WORKLOAD_PRIORITY_CLASSES,
  type KueueWorkload,
  type PodSet,
  type PodSetCount,
  type PriorityClassObject,
  type QueueingObjects,
} from './kueue-objects.ts';
import { topologyRequestOf } from './topology.ts';

/** Roles without pods are none of it. */
export function podSetsOf(adapter: Pick<FrameworkAdapter, 'elastic' | 'labels'>, job: TrainingJob): PodSet[] {
  const elastic = adapter.elastic?.workers?.(job);
  return job.roles
    .filter(({ replicas }) => replicas > 0)
    .map((role) => {
      const least = elastic?.role === role.name ? Math.max(1, elastic.least) : role.replicas;
      const topologyRequest = topologyRequestOf(role.template, indexLabelOf(adapter, job, role));
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

/** Undefined where the pods of the role do not say their index. */
function indexLabelOf(
  { labels }: Pick<FrameworkAdapter, 'labels'>,
  job: TrainingJob,
  role: ReplicaRole,
): string | undefined {
  return LABELS.replicaIndex in labels.ofPod(job, { role, index: 0 }) ? LABELS.replicaIndex : undefined;
}

export interface QueuePriority {
  readonly ref: { readonly group: string; readonly kind: string; readonly name: string };
  readonly value: number;
}

/**
 * As Kueue finds it: by the job's label, or else by the priority class of its pods. A sentence where that is not there; undefined
 * of a job that names none.
 */
export function priorityOf(
  { metadata, roles }: TrainingJob,
  { workloadPriorityClasses, priorityClasses }: QueueingObjects,
): QueuePriority | string | undefined {
  const label = metadata.labels?.[KUEUE_LABELS.priorityClass];
  if (label !== undefined) return priorityIn(WORKLOAD_PRIORITY_CLASSES, workloadPriorityClasses, label);
  const ofPods = roles.flatMap(({ template }) => template.spec?.priorityClassName ?? [])[0];
  return ofPods === undefined ? undefined : priorityIn(PRIORITY_CLASSES, priorityClasses, ofPods);
}

function priorityIn(
  { group, kind }: typeof PRIORITY_CLASSES,
  classes: readonly PriorityClassObject[],
  name: string,
): QueuePriority | string {
  const found = classes.find(({ metadata }) => metadata?.name === name);
  if (found === undefined) return `There is no ${kind} ${name}: create it, or name another.`;
  return { ref: { group, kind, name }, value: found.value ?? 0 };
}

/** Jobs of several kinds may have the same name, and a later one the name of an earlier one. */
function workloadName({ resource, metadata }: Pick<TrainingJob, 'resource' | 'metadata'>): string {
  return `${resource.kind.toLowerCase()}-${metadata.name}-${metadata.uid.slice(0, 8)}`;
}

export function queueWorkload(
  job: TrainingJob,
  queueName: string,
  podSets: readonly PodSet[],
  priority: QueuePriority | undefined,
): DesiredResource<KueueWorkload> {
  const digest = digestOf(queueName, podSets, priority);
  const object: KubeObject & { spec: { podSets: readonly PodSet[] } } = {
    apiVersion: `${KUEUE_GROUP}/${KUEUE_WORKLOADS.version}`,
    kind: KUEUE_WORKLOADS.kind,
    metadata: {
      name: workloadName(job),
      labels: { [KUEUE_LABELS.jobUid]: job.metadata.uid },
      annotations: { [ANNOTATIONS.template]: digest },
    },
    spec: {
      queueName,
      podSets,
      ...(priority && { priorityClassRef: priority.ref, priority: priority.value }),
    } as { podSets: readonly PodSet[] },
  };
  return {
    resource: KUEUE_WORKLOADS,
    object,
    // A quota that is granted is for these pods, and no others: a job that needs other ones queues anew.
    change(existing) {
      const isSame = existing.metadata?.annotations?.[ANNOTATIONS.template] === digest;
      return isSame && fits(existing, podSets) ? undefined : 'Recreate';
    },
  };
}

/** A job that shrinks keeps its quota, and says what of it others may have. */
function fits(existing: KueueWorkload, podSets: readonly PodSet[]): boolean {
  const asked = existing.spec?.podSets ?? [];
  return podSets.every(({ name, count }) => {
    const before = countOf(asked, name);
    return holds(existing, 'QuotaReserved') ? count <= before : count === before;
  });
}

export function countOf(counts: readonly PodSetCount[], name: string): number {
  const found = counts.find((each) => each.name === name);
  return found === undefined ? 0 : (found.count ?? 1);
}

/**
 * Of what Kueue decides by, in the user's words: how much a pod takes, on which nodes it can be, and how near to the others. What else a template says may
 * change while the quota is held, also with the version of Muster. The API server cannot be asked, since it adds defaults.
 */
function digestOf(queueName: string, podSets: readonly PodSet[], priority: QueuePriority | undefined): string {
  const made = podSets.map(({ name, template, topologyRequest }) => [
    name,
    decisiveOf(template.spec),
    ...(topologyRequest ? [topologyRequest] : []),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([queueName, priority?.ref ?? null, made]))
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
