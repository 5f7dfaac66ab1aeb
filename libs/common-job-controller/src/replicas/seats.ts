/** The seats of a role's pods (`FreshNames.seatOf`): what a pod says stays, and a replica without one gets the first that is free. */
import { hostOf, replicaIndexOf } from '../model/replica-hosts.ts';
import type { FreshNames } from '../model/replica-identity.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';

/** `replicas` are those of one role, in the order of their indexes; all pods of a replica have its seat, whichever of them says it. */
export function withSeats(replicas: readonly ReplicaPod[], names: FreshNames): ReplicaPod[] {
  if (names.seatOf === undefined) return [...replicas];
  const seats = new Map<number, number>();
  for (const replica of replicas) {
    const seat = replica.pod && names.seatOf(replica.pod);
    if (seat !== undefined) seats.set(replicaIndexOf(replica), seat.replica);
  }
  const taken = new Set(seats.values());
  let free = 0;
  return replicas.map((replica) => {
    const which = replicaIndexOf(replica);
    if (!seats.has(which)) {
      while (taken.has(free)) free += 1;
      taken.add(free);
      seats.set(which, free);
    }
    return { ...replica, seat: { replica: seats.get(which)!, host: hostOf(replica) } };
  });
}
