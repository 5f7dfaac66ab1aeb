/** The dependencies of every measurement of RayClusters. */
import { PODS, RAY_CLUSTERS, type Pod, type RayCluster } from '@muster/job-api';
import type { ClusterClient } from '@muster/kube';
import { Milestones } from '../milestones.ts';
import type { RawClient } from '../raw-client.ts';
import type { Started } from '../server-process.ts';

const LIMIT_MS = 900_000;

export interface RayBench {
  readonly client: ClusterClient;
  readonly raw: RawClient;
  readonly namespace: string;
  readonly operator: Started;
}

export const CLUSTER_LABEL = 'ray.io/cluster';

export function clustersOf({ client, namespace }: RayBench): Promise<Milestones<RayCluster>> {
  return Milestones.of(client, RAY_CLUSTERS, { namespace }, LIMIT_MS);
}

export function podsOf({ client, namespace }: RayBench, labelSelector: string): Promise<Milestones<Pod>> {
  return Milestones.of(client, PODS, { namespace, labelSelector }, LIMIT_MS);
}

export function clustersPath(namespace: string): string {
  return `/apis/ray.io/v1/namespaces/${namespace}/rayclusters`;
}

export function isReadyPod({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') === true;
}
