/**
 * Roles that the start order delays have their own group: the job's group would never be complete with them, and without one their pods
 * could start in part.
 */
import { isStartDelayed } from '../model/start-order.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';

export function hasOwnGroup(job: TrainingJob, role: ReplicaRole): boolean {
  return job.rolesWithOwnGroup?.has(role.name) ?? isStartDelayed(job, role);
}

export function groupNameOf(job: TrainingJob, role: ReplicaRole): string {
  return hasOwnGroup(job, role) ? ownGroupName(job, role) : job.metadata.name;
}

export function ownGroupName({ metadata }: TrainingJob, role: ReplicaRole): string {
  return `${metadata.name}-${role.name.toLowerCase()}`;
}

export function rolesOfGroup(job: TrainingJob, role: ReplicaRole): readonly ReplicaRole[] {
  return hasOwnGroup(job, role) ? [role] : job.roles.filter((other) => !hasOwnGroup(job, other));
}
