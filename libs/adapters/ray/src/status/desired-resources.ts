/** The sizes of a cluster as its status tells them: what all of its pods have, and how many workers there are to be. */
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

/** As Kubernetes writes amounts; `0` for none. */
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

/** Replicas are counted in 32 bits. */
const MOST_REPLICAS = 2_147_483_647;

/** What the pods of the templates ask for; limits count where nothing is asked for. The autoscaler's container does not count. */
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

/** In pods, over all groups. A suspended group has none, and none to come. */
export function workerCounts(cluster: ClusterModel): WorkerCounts {
  const groups = workerGroups(cluster).filter(({ spec }) => spec.suspend !== true);
  const total = (pods: (group: WorkerGroup) => number) =>
    Math.min(
      groups.reduce((sum, group) => sum + pods(group), 0),
      MOST_REPLICAS,
    );
  return {
    desiredWorkerReplicas: total(desiredPods),
    minWorkerReplicas: total(leastPods),
    maxWorkerReplicas: total(({ spec }) => (spec.maxReplicas ?? MOST_REPLICAS) * hostsOf(spec)),
  };
}

/** How many pods a group is to have: within its least and its most, whatever its `replicas` say. */
export function desiredPods(group: WorkerGroup): number {
  return desiredReplicas(group) * hostsOf(group.spec);
}

/** How many pods an autoscaler leaves a group at least. */
export function leastPods({ spec }: WorkerGroup): number {
  return (spec.minReplicas ?? 0) * hostsOf(spec);
}

/** How many replicas a group is to have: in a multi-host group several pods each. */
export function desiredReplicas({ spec }: WorkerGroup): number {
  const { replicas, minReplicas = 0, maxReplicas = MOST_REPLICAS, suspend } = spec;
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
