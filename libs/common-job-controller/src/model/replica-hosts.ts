/**
 * Replicas of several pods that start and end together, for example a Ray worker on several hosts. Indexes count pods: a pod's index is the
 * replica's index times the pods per replica, plus the pod's host number.
 */
import type { Replica, ReplicaRole } from './training-job.ts';

export function podsPerReplica({ podsPerReplica: pods = 1 }: Pick<ReplicaRole, 'podsPerReplica'>): number {
  return Math.max(1, pods);
}

/** The replica of the role that the pod belongs to, from 0. */
export function replicaIndexOf({ role, index }: Replica): number {
  return Math.floor(index / podsPerReplica(role));
}

/** The pod's number in its replica, from 0. */
export function hostOf({ role, index }: Replica): number {
  return index % podsPerReplica(role);
}

/** A key of the role and index. Equal for all pods that get this index one after another. */
export function placeKey({ role, index }: Replica): string {
  return `${role.name} ${index}`;
}

/** A key of the replica. Equal for all its pods. */
export function replicaKey(replica: Replica): string {
  return `${replica.role.name} ${replicaIndexOf(replica)}`;
}
