/** The sizes in a cluster's status: resources of all pods, and the numbers of workers. */
import {
  addQuantities,
  formatQuantity,
  multiplyQuantity,
  NO_QUANTITY,
  parseQuantity,
  type PodTemplateSpec,
  type Quantity,
} from '@muster/job-api';
import { headGroup, workerGroups, type ClusterModel, type WorkerGroup } from '../model/ray-cluster-model.ts';
import { isGpu } from '../pods/ray-resources.ts';

/** In Kubernetes' format; `0` for none. */
export interface DesiredResources {
  readonly desiredCPU: string;
  readonly desiredMemory: string;
  readonly desiredGPU: string;
  readonly desiredTPU: string;
}

export interface WorkerCounts {
  readonly desiredWorkerReplicas: number;
  readonly minWorkerReplicas: number;
  readonly maxWorkerReplicas: number;
}

/** Replicas are 32-bit integers. */
const MAX_REPLICAS = 2_147_483_647;

/** Requests of the templates' pods, or else limits. Excludes the autoscaler's container. */
export function desiredResources(cluster: ClusterModel): DesiredResources {
  const templates = [
    { template: headGroup(cluster).spec.template, count: 1 },
    ...workerGroups(cluster).map((group) => ({ template: group.spec.template, count: desiredPods(group) })),
  ];
  const total = (counts: (resource: string) => boolean) =>
    formatQuantity(
      templates
        .map(({ template, count }) => multiplyQuantity(amountOf(template, counts), count))
        .reduce(addQuantities, NO_QUANTITY),
    );
  return {
    desiredCPU: total((resource) => resource === 'cpu'),
    desiredMemory: total((resource) => resource === 'memory'),
    desiredGPU: total(isGpu),
    desiredTPU: total((resource) => resource === 'google.com/tpu'),
  };
}

/** In pods, over all groups. A suspended group has 0. */
export function workerCounts(cluster: ClusterModel): WorkerCounts {
  const groups = workerGroups(cluster).filter(({ spec }) => spec.suspend !== true);
  const total = (pods: (group: WorkerGroup) => number) =>
    Math.min(
      groups.reduce((sum, group) => sum + pods(group), 0),
      MAX_REPLICAS,
    );
  return {
    desiredWorkerReplicas: total(desiredPods),
    minWorkerReplicas: total(leastPods),
    maxWorkerReplicas: total(({ spec }) => (spec.maxReplicas ?? MAX_REPLICAS) * hostsOf(spec)),
  };
}

/** Bounded by minReplicas and maxReplicas. */
export function desiredPods(group: WorkerGroup): number {
  return desiredReplicas(group) * hostsOf(group.spec);
}

/** The minimum of an autoscaler. */
export function leastPods({ spec }: WorkerGroup): number {
  return (spec.minReplicas ?? 0) * hostsOf(spec);
}

/** A replica of a multi-host group has several pods. */
export function desiredReplicas({ spec }: WorkerGroup): number {
  const { replicas, minReplicas = 0, maxReplicas = MAX_REPLICAS, suspend } = spec;
  if (suspend === true) return 0;
  return Math.min(Math.max(replicas ?? minReplicas, minReplicas), maxReplicas);
}

function hostsOf({ numOfHosts }: WorkerGroup['spec']): number {
  return numOfHosts ?? 1;
}

function amountOf({ spec }: PodTemplateSpec, counts: (resource: string) => boolean): Quantity {
  return (spec?.containers ?? [])
    .flatMap(({ resources }) => Object.entries({ ...resources?.limits, ...resources?.requests }))
    .filter(([resource]) => counts(resource))
    .map(([, text]) => parseQuantity(text) ?? NO_QUANTITY)
    .reduce(addQuantities, NO_QUANTITY);
}
