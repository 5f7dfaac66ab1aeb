/**
 * Roles that the start order delays have their own group: the job's group would never be complete with them, and without one their pods
 * could start in part.
 */
import type { GangScheduler } from '../contract/gang-scheduler.ts';
import { ownResources, type OwnedResource } from '../model/owned-resources.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { isStartDelayed } from '../model/start-order.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { isBusy } from './fixed-size.ts';

/** A job keeps its groups while it has pods: a pod recreated in another group would wait there forever for the pods of its old group. */
export function rolesWithOwnGroup(
  job: TrainingJob,
  gang: GangScheduler | undefined,
  ownedResources: readonly OwnedResource[],
  replicas: readonly ReplicaPod[],
): ReadonlySet<string> {
  const groups = ownResources(job, ownedResources)
    .filter(({ kind }) => kind.resource === gang?.groups?.resource)
    .map(({ object }) => object.metadata?.name);
  const hasBegun = isBusy(replicas) && groups.includes(job.metadata.name);
  const roles = job.roles.filter((role) =>
    hasBegun ? groups.includes(ownGroupName(job, role)) : isStartDelayed(job, role),
  );
  return new Set(roles.map(({ name }) => name));
}

export function hasOwnGroup(job: TrainingJob, role: ReplicaRole): boolean {
  return job.rolesWithOwnGroup?.has(role.name) ?? isStartDelayed(job, role);
}

export function groupNameOf(job: TrainingJob, role: ReplicaRole): string {
  return hasOwnGroup(job, role) ? ownGroupName(job, role) : job.metadata.name;
}

function ownGroupName({ metadata }: TrainingJob, role: ReplicaRole): string {
  return `${metadata.name}-${role.name.toLowerCase()}`;
}

export function rolesOfGroup(job: TrainingJob, role: ReplicaRole): readonly ReplicaRole[] {
  return hasOwnGroup(job, role) ? [role] : job.roles.filter((other) => !hasOwnGroup(job, other));
}
