/**
 * Which groups a job keeps while pods of it are there: those that it began with, whatever its order says meanwhile. A pod cannot change its
 * group, and one that is recreated in another than its mates would wait there for them for ever.
 */
import { isMadeLater } from '../model/start-order.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { ownResources } from '../model/owned-resources.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { World } from '../world/world.ts';
import { isBusy } from './fixed-size.ts';
import type { GangScheduler } from '../contract/gang-scheduler.ts';
import { ownGroupName } from './own-groups.ts';

/** The names of the roles with a group of their own. */
export function rolesWithOwnGroup(
  job: TrainingJob,
  gang: GangScheduler | undefined,
  ownedResources: World['ownedResources'],
  replicas: readonly ReplicaPod[],
): ReadonlySet<string> {
  const groups = ownResources(job, ownedResources)
    .filter(({ kind }) => kind.resource === gang?.groups?.resource)
    .map(({ object }) => object.metadata?.name);
  const hasBegun = isBusy(replicas) && groups.includes(job.metadata.name);
  const roles = job.roles.filter((role) =>
    hasBegun ? groups.includes(ownGroupName(job, role)) : isMadeLater(job, role),
  );
  return new Set(roles.map(({ name }) => name));
}
