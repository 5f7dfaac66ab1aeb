/** Why a cluster cannot get applications yet, in one line. */
import type { ObservedCluster } from './observed-service.ts';

/** Undefined if its head is ready. */
export function whyClusterWaits(name: string, cluster: ObservedCluster | undefined): string | undefined {
  if (cluster === undefined) return `RayCluster ${name} is being created`;
  if (cluster.isBeingDeleted) return `RayCluster ${name} is being deleted`;
  if (cluster.isHeadReady) return undefined;
  const { status, spec } = cluster.object;
  const { conditions = [], muster, reason = '', state } = status ?? {};
  const find = (type: string) => conditions.find((each) => each.type === type);
  const failure = find('ReplicaFailure');
  if (failure?.status === 'True') return `RayCluster ${name}: ${failure.message}`;
  if (state === 'failed') return `RayCluster ${name} is invalid: ${reason}`;
  const queued = muster?.conditions?.find((each) => each.type === 'Suspended' && each.status === 'True');
  if (spec.suspend === true || queued !== undefined) {
    return `RayCluster ${name} is suspended: ${queued?.message ?? 'its spec.suspend is true'}`;
  }
  const head = find('HeadPodReady');
  if (head === undefined) return `RayCluster ${name} has no head yet`;
  const { reason: why, message } = head;
  return `RayCluster ${name}: the head is not ready: ${[why, message].filter((part) => part !== '').join(': ')}`;
}
