/**
 * Replicas of several pods, which live and end together, as those of a Ray worker on several hosts. Slots and their indexes are
 * those of pods: the index of a pod is that of its replica times how many a replica has, plus its own within the replica.
 */
import type { Replica, ReplicaRole } from './training-job.ts';

export function podsPerReplica({ podsPerReplica: pods = 1 }: Pick<ReplicaRole, 'podsPerReplica'>): number {
  return Math.max(1, pods);
}

/** Which replica of its role the pod is of, from 0. */
export function replicaIndexOf({ role, index }: Replica): number {
  return Math.floor(index / podsPerReplica(role));
}

/** Which pod of its replica it is, from 0. */
export function hostOf({ role, index }: Replica): number {
  return index % podsPerReplica(role);
}

/** The same for the pods that have been in this place, one after the other, and for no others of the job. */
export function placeKey({ role, index }: Replica): string {
  return `${role.name} ${index}`;
}

/** The same for all pods of a replica, and for no others of the job. */
export function replicaKey(replica: Replica): string {
  return `${replica.role.name} ${replicaIndexOf(replica)}`;
}
