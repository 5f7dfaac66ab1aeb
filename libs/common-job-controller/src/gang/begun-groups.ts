/** A job keeps its groups while it has pods: a pod recreated in another group would wait there forever for the pods of its old group. */
import { isStartDelayed } from '../model/start-order.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { ownResources } from '../model/owned-resources.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { World } from '../world/world.ts';
import { isBusy } from './fixed-size.ts';
import type { GangScheduler } from '../contract/gang-scheduler.ts';
import { ownGroupName } from './own-groups.ts';

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
    hasBegun ? groups.includes(ownGroupName(job, role)) : isStartDelayed(job, role),
  );
  return new Set(roles.map(({ name }) => name));
}
