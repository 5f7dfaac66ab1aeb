/**
 * Each index is assigned once: the status records it before the pod is created. When that pod is gone or dismissed, the
 * next number is assigned. So a name whose pod could not be created is retried, and a name that existed is never reused.
 */
import type { Pod, ReplicaStatus } from '@muster/job-api';
import type { UniqueNames } from '../model/replica-identity.ts';
import type { ReplicaRole } from '../model/training-job.ts';
import { parseIndexes } from '../model/index-set.ts';
import { hostOf, podsPerReplica, replicaIndexOf } from '../model/replica-hosts.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';

/** Limits an index from a status that another program wrote. */
const LARGEST_INDEX = 10_000_000;

export interface RolePod {
  readonly pod: Pod;
  readonly index: number | undefined;
  /** Whether it is deleted whatever the role's size. */
  readonly isDismissed: boolean;
}

interface Known extends Pick<ReplicaStatus, 'indexes' | 'startedIndexes' | 'nextOrdinal'> {
  isTaken(index: number): boolean;
  /** Whether this process has assigned the indexes without a pod. If not, it cannot know which of them had a pod. */
  readonly isOwnRecord: boolean;
}

export type UniquelyNamedRole = ReplicaRole & { readonly identity: UniqueNames };

export function uniquelyNamedReplicas(
  role: UniquelyNamedRole,
  known: Known,
  pods: readonly RolePod[],
  stateOf: (pod: Pod) => ReplicaPod['state'],
): readonly ReplicaPod[] {
  const { overlap } = role.identity;
  const next = Math.max(known.nextOrdinal ?? 0, ...pods.map(({ index = -1 }) => index + 1));
  const assigned = parseIndexes(known.indexes, LARGEST_INDEX);
  const byIndex = placed(role, assigned, pods, next);
  const started = parseIndexes(known.startedIndexes, LARGEST_INDEX);
  const foreign = positionedElsewhere(role, byIndex);
  const isRetired = (index: number) => {
    const there = byIndex.get(index);
    if (there !== undefined) return there.isDismissed || (overlap && isTerminating(there.pod));
    if (!assigned.has(index)) return foreign.has(replicaIndexOf({ role, index }));
    return started.has(index) || !known.isOwnRecord || known.isTaken(index);
  };
  let free = next;
  while (known.isTaken(free)) free += 1;
  const indexes = membersOf(role, new Set([...assigned, ...byIndex.keys()]), isRetired, free);
  const members = new Set(indexes.map((index) => byIndex.get(index)?.pod));
  const isPlaceFree = overlap || pods.every(({ pod }) => members.has(pod));
  const replicas = indexes.map((index): ReplicaPod => {
    const pod = byIndex.get(index)?.pod;
    if (pod === undefined) return { role, index, state: 'missing', ...(!isPlaceFree && { blockedBy: 'name' }) };
    return { role, index, pod, hasStarted: true, state: isTerminating(pod) ? 'terminating' : stateOf(pod) };
  });
  return withPositions(replicas, role.identity);
}

/** A pod without an index gets the one of its position, so that a replica's pods stay together, or a free or new one. */
function placed(
  role: UniquelyNamedRole,
  assigned: ReadonlySet<number>,
  pods: readonly RolePod[],
  next: number,
): Map<number, RolePod> {
  const byIndex = new Map<number, RolePod>();
  for (const each of pods) if (each.index !== undefined) byIndex.set(each.index, each);
  const nameOf = ({ pod }: RolePod) => pod.metadata?.name ?? '';
  const nameless = pods.filter(({ index, pod }) => index === undefined && !isTerminating(pod));
  const inOrder = nameless.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const unplaced = inOrder.filter((each) => {
    const index = indexOfPosition(role, each);
    if (index === undefined || byIndex.has(index)) return true;
    byIndex.set(index, each);
    return false;
  });
  const free = [...assigned].filter((index) => !byIndex.has(index)).sort((a, b) => a - b);
  let beyond = Math.max(next, ...[...assigned, ...byIndex.keys()].map((index) => index + 1));
  for (const each of unplaced) byIndex.set(free.shift() ?? beyond++, each);
  return byIndex;
}

/** Complete replicas of another operator with positions: a pod that is missing in one of them was lost. */
function positionedElsewhere(role: UniquelyNamedRole, byIndex: ReadonlyMap<number, RolePod>): Set<number> {
  const isPositioned = (each: RolePod) => each.index === undefined && indexOfPosition(role, each) !== undefined;
  const positioned = [...byIndex].filter(([, each]) => isPositioned(each));
  return new Set(positioned.map(([index]) => replicaIndexOf({ role, index })));
}

function indexOfPosition(role: UniquelyNamedRole, { pod }: RolePod): number | undefined {
  const position = role.identity.positionOf?.(pod);
  const hosts = podsPerReplica(role);
  return position === undefined || position.host >= hosts ? undefined : position.replica * hosts + position.host;
}

/** In order. A replica of several pods is kept, dropped or added as a whole. */
function membersOf(
  role: UniquelyNamedRole,
  all: ReadonlySet<number>,
  isRetired: (index: number) => boolean,
  next: number,
): number[] {
  const hosts = podsPerReplica(role);
  const replicaOf = (index: number) => Math.floor(index / hosts);
  const membersOfReplica = (replica: number) => Array.from({ length: hosts }, (_, host) => replica * hosts + host);
  const isWhole = (replica: number) => !membersOfReplica(replica).some(isRetired);
  const replicas = [...new Set([...all].map(replicaOf))].filter(isWhole).sort((a, b) => a - b);
  const wanted = Math.ceil(role.replicas / hosts);
  if (role.identity.losesNamedOnly !== true) replicas.splice(wanted);
  let beyond = Math.max(Math.ceil(next / hosts), ...[...all].map((index) => replicaOf(index) + 1));
  while (replicas.length < wanted) replicas.push(beyond++);
  return replicas.flatMap(membersOfReplica);
}

function isTerminating({ metadata }: Pod): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

/** A pod keeps its position (`UniqueNames.positionOf`). A replica without one gets the first free one. */
function withPositions(replicas: readonly ReplicaPod[], names: UniqueNames): readonly ReplicaPod[] {
  if (names.positionOf === undefined) return replicas;
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
