/** Positions of a role's pods (`UniqueNames.positionOf`). A pod keeps its position; a replica without one gets the first free one. */
import { hostOf, replicaIndexOf } from '../model/replica-hosts.ts';
import type { UniqueNames } from '../model/replica-identity.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';

export function withPositions(replicas: readonly ReplicaPod[], names: UniqueNames): ReplicaPod[] {
  if (names.positionOf === undefined) return [...replicas];
  const positions = new Map<number, number>();
  for (const replica of replicas) {
    const position = replica.pod && names.positionOf(replica.pod);
    if (position !== undefined) positions.set(replicaIndexOf(replica), position.replica);
  }
  const taken = new Set(positions.values());
  let free = 0;
  return replicas.map((replica) => {
    const which = replicaIndexOf(replica);
    if (!positions.has(which)) {
      while (taken.has(free)) free += 1;
      taken.add(free);
      positions.set(which, free);
    }
    return { ...replica, position: { replica: positions.get(which)!, host: hostOf(replica) } };
  });
}
