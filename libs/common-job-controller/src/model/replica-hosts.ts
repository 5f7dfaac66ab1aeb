/**
 * Replicas of several pods that start and end together, such as a Ray worker on several hosts. A pod's index is its replica's index times
 * the pods per replica, plus its host number.
 */
import type { Replica, ReplicaRole } from './training-job.ts';

export function podsPerReplica({ podsPerReplica: pods = 1 }: Pick<ReplicaRole, 'podsPerReplica'>): number {
  return Math.max(1, pods);
}

export function replicaIndexOf({ role, index }: Replica): number {
  return Math.floor(index / podsPerReplica(role));
}

export function hostOf({ role, index }: Replica): number {
  return index % podsPerReplica(role);
}

/** Equal for all pods that get this index one after another. */
export function placeKey({ role, index }: Replica): string {
  return `${role.name} ${index}`;
}

/** Equal for all pods of the replica. */
export function replicaKey(replica: Replica): string {
  return `${replica.role.name} ${replicaIndexOf(replica)}`;
}
