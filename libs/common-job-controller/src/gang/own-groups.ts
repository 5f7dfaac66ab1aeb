/**
 * Roles with a pod group of their own: those that are made later than others by the job's own order. A group that counted them would never
 * be whole, and without one their pods would start in part.
 */
import { isMadeLater } from '../model/start-order.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';

export function hasOwnGroup(job: TrainingJob, role: ReplicaRole): boolean {
  return job.rolesWithOwnGroup?.has(role.name) ?? isMadeLater(job, role);
}

/** The name of the group that the pods of the role are in. */
export function groupNameOf(job: TrainingJob, role: ReplicaRole): string {
  return hasOwnGroup(job, role) ? ownGroupName(job, role) : job.metadata.name;
}

export function ownGroupName({ metadata }: TrainingJob, role: ReplicaRole): string {
  return `${metadata.name}-${role.name.toLowerCase()}`;
}

/** The roles whose pods are in one group with those of `role`. */
export function rolesOfGroup(job: TrainingJob, role: ReplicaRole): readonly ReplicaRole[] {
  return hasOwnGroup(job, role) ? [role] : job.roles.filter((other) => !hasOwnGroup(job, other));
}
