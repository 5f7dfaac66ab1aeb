/**
 * Roles with a pod group of their own: those that the job's start order delays. A group that counted them would never be complete. Without
 * their own group, their pods could start in part.
 */
import { isMadeLater } from '../model/start-order.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';

export function hasOwnGroup(job: TrainingJob, role: ReplicaRole): boolean {
  return job.rolesWithOwnGroup?.has(role.name) ?? isMadeLater(job, role);
}

export function groupNameOf(job: TrainingJob, role: ReplicaRole): string {
  return hasOwnGroup(job, role) ? ownGroupName(job, role) : job.metadata.name;
}

export function ownGroupName({ metadata }: TrainingJob, role: ReplicaRole): string {
  return `${metadata.name}-${role.name.toLowerCase()}`;
}

/** The roles in the same group as `role`. */
export function rolesOfGroup(job: TrainingJob, role: ReplicaRole): readonly ReplicaRole[] {
  return hasOwnGroup(job, role) ? [role] : job.roles.filter((other) => !hasOwnGroup(job, other));
}
