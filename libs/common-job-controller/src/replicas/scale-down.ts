/**
 * Which indexes a role has. Mostly 0 to n - 1: a role that grows gets the lowest free ones, one that shrinks loses the
 * highest. Pods that are named (by the job's annotation, or by the kind's own field) go first instead, in an elastic job then
 * those that do not run, and the rest keep their names: the holes that this leaves are remembered in the status, and filled from the lowest when the role grows. One
 * without which the others cannot go on goes last.
 */
import type { Pod } from '@muster/job-api';
import { uniqueNamesOf } from '../model/replica-identity.ts';
import type { Replica, ReplicaRole } from '../model/training-job.ts';
import { podsPerReplica, replicaIndexOf } from '../model/replica-hosts.ts';
import { formatIndexes, parseIndexes } from '../model/index-set.ts';

/** Beyond what any role may have; keeps a status that somebody else wrote from being taken at its word. */
const LARGEST_INDEX = 100_000;

/** Which pods go when a role shrinks. */
interface ScaleDown {
  /** The names of those that go first. */
  readonly named: ReadonlySet<string>;
  /** The names of those that go next, the highest index first. Default: none. */
  readonly givenUp?: ReadonlySet<string>;
  /** Whether the one of that index goes last, also if it is named. */
  readonly stays: (index: number) => boolean;
  /** Whether the one of that index is not at work, so that it goes before those that are. Default: nobody is asked. */
  readonly isIdle?: (index: number) => boolean;
}

/** `own` are the role's pods by index. A replica of several pods stays or goes as a whole. */
export function roleIndexes(
  role: ReplicaRole,
  remembered: string | undefined,
  own: ReadonlyMap<number, Pod>,
  { named, givenUp = new Set(), stays, isIdle = () => false }: ScaleDown,
): number[] {
  const pods = podsPerReplica(role);
  const indexesOf = (replica: number) => Array.from({ length: pods }, (_, host) => replica * pods + host);
  const replicas = new Set([...membersSoFar(role, remembered, own)].map((index) => replicaIndexOf({ role, index })));
  const isIn = (names: ReadonlySet<string>, replica: number) =>
    indexesOf(replica).some((index) => names.has(own.get(index)?.metadata?.name ?? ''));
  const isFree = (replica: number) => !indexesOf(replica).some(stays);
  const free = [...replicas].filter(isFree).sort((a, b) => b - a);
  const idle = free.filter((replica) => indexesOf(replica).some(isIdle));
  const inOrder = [
    ...free.filter((replica) => isIn(named, replica)).reverse(),
    ...free.filter((replica) => isIn(givenUp, replica)),
    ...idle,
    ...free,
    ...[...replicas].filter((each) => !isFree(each)),
  ];
  const wanted = Math.ceil(role.replicas / pods);
  for (const replica of inOrder) if (replicas.size > wanted) replicas.delete(replica);
  for (let replica = 0; replicas.size < wanted; replica++) replicas.add(replica);
  return [...replicas].sort((a, b) => a - b).flatMap(indexesOf);
}

function membersSoFar(role: ReplicaRole, remembered: string | undefined, own: ReadonlyMap<number, Pod>): Set<number> {
  // On record is all that the role has: another pod is one that was to go when the record was made.
  if (remembered !== undefined) return parseIndexes(remembered, LARGEST_INDEX);
  const staying = [...own].filter(([, { metadata }]) => metadata?.deletionTimestamp === undefined);
  return new Set([...new Array(role.replicas).keys(), ...staying.map(([index]) => index)]);
}

/** What the status has to remember: undefined when the indexes have no holes, and follow from the role's size. */
export function rememberedIndexes(
  role: Pick<ReplicaRole, 'identity'>,
  replicas: readonly Pick<Replica, 'index'>[],
): string | undefined {
  const indexes = replicas.map(({ index }) => index);
  const haveHoles = indexes.at(-1) !== indexes.length - 1;
  return uniqueNamesOf(role) !== undefined || haveHoles ? formatIndexes(indexes) || undefined : undefined;
}
