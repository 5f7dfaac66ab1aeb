/** A RayCluster with everything from which its objects derive. */
import type { PodTemplateSpec, RayClusterSpec, RayHeadGroupSpec, RayWorkerGroupSpec } from '@muster/job-api';

export interface ClusterModel {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** Of the RayCluster itself. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: RayClusterSpec;
  /** The DNS domain of the Kubernetes cluster, usually `cluster.local`. */
  readonly clusterDomain: string;
  /** Namespace of the operator's pods; undefined if it runs outside the cluster. */
  readonly operatorNamespace?: string;
}

/** Pods of one template. */
export type RayGroup = HeadGroup | WorkerGroup;

export interface HeadGroup {
  readonly kind: 'head';
  readonly name: typeof HEAD_GROUP;
  readonly spec: RayHeadGroupSpec;
}

export interface WorkerGroup {
  readonly kind: 'worker';
  readonly name: string;
  readonly spec: RayWorkerGroupSpec;
}

/** The value of the label `ray.io/group` on the head. */
export const HEAD_GROUP = 'headgroup';

export function headGroup({ spec }: ClusterModel): HeadGroup {
  return { kind: 'head', name: HEAD_GROUP, spec: spec.headGroupSpec };
}

/** In the order of the manifest. */
export function workerGroups({ spec }: ClusterModel): WorkerGroup[] {
  return (spec.workerGroupSpecs ?? []).map((group) => ({ kind: 'worker', name: group.groupName, spec: group }));
}

/** The first container. Undefined only if the manifest was refused. */
export function rayContainerOf({ spec }: PodTemplateSpec): NonNullable<typeof spec>['containers'][number] | undefined {
  return spec?.containers[0];
}
