/** Whether a RayCluster is in a queue, and when it was admitted. */
import type { ObservedRayJob } from './observed-ray-job.ts';

type Cluster = ObservedRayJob['cluster'];

export function isQueued(cluster: Cluster): boolean {
  const { status, reason } = suspensionOf(cluster) ?? {};
  return status === 'True' && (reason === 'Evicted' || reason === 'Queued');
}

/** When it was last admitted, or resumed. */
export function admittedTime(cluster: Cluster): string | undefined {
  const suspension = suspensionOf(cluster);
  return suspension?.status === 'False' ? suspension.lastTransitionTime : undefined;
}

function suspensionOf(cluster: Cluster) {
  return cluster?.status?.muster?.conditions?.find(({ type }) => type === 'Suspended');
}
