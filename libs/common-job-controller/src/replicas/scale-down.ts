/**
 * The indexes of a role, usually 0 to n - 1: it grows by the lowest free and shrinks by the highest index. Named pods are
 * deleted first, and in an elastic job then those that do not run. The status records the holes.
 */
import type { Pod } from '@muster/job-api';
import { uniqueNamesOf } from '../model/replica-identity.ts';
import type { Replica, ReplicaRole } from '../model/training-job.ts';
import { podsPerReplica, replicaIndexOf } from '../model/replica-hosts.ts';
import { formatIndexes, parseIndexes } from '../model/index-set.ts';

/** More than any role may have. Limits an index from a status that another program wrote. */
const LARGEST_INDEX = 100_000;

interface ScaleDown {
  readonly named: ReadonlySet<string>;
  /** Names of pods that are deleted next, from the highest index. Default: none. */
  readonly deletedFirst?: ReadonlySet<string>;
  /** Whether the pod of this index is deleted last, also if it is named. */
  readonly stays: (index: number) => boolean;
  /** Whether the pod of this index does not run. Default: no. */
  readonly isIdle?: (index: number) => boolean;
}

/** @param own the role's pods by index. A replica of several pods is kept or deleted as a whole. */
export function roleIndexes(
  role: ReplicaRole,
  remembered: string | undefined,
  own: ReadonlyMap<number, Pod>,
  { named, deletedFirst = new Set(), stays, isIdle = () => false }: ScaleDown,
): number[] {
  const pods = podsPerReplica(role);
  const indexesOf = (replica: number) => Array.from({ length: pods }, (_, host) => replica * pods + host);
  const staying = [...own].filter(([, { metadata }]) => metadata?.deletionTimestamp === undefined);
  // A record has all indexes of the role: another pod was being deleted when it was written.
  const before =
    remembered === undefined
      ? [...new Array(role.replicas).keys(), ...staying.map(([index]) => index)]
      : [...parseIndexes(remembered, LARGEST_INDEX)];
  const replicas = new Set(before.map((index) => replicaIndexOf({ role, index })));
  const isIn = (names: ReadonlySet<string>, replica: number) =>
    indexesOf(replica).some((index) => names.has(own.get(index)?.metadata?.name ?? ''));
  const isFree = (replica: number) => !indexesOf(replica).some(stays);
  const free = [...replicas].filter(isFree).sort((a, b) => b - a);
  const inOrder = [
    ...free.filter((replica) => isIn(named, replica)).reverse(),
    ...free.filter((replica) => isIn(deletedFirst, replica)),
    ...free.filter((replica) => indexesOf(replica).some(isIdle)),
    ...free,
    ...[...replicas].filter((each) => !isFree(each)),
  ];
  const wanted = Math.ceil(role.replicas / pods);
  for (const replica of inOrder) if (replicas.size > wanted) replicas.delete(replica);
  for (let replica = 0; replicas.size < wanted; replica++) replicas.add(replica);
  return [...replicas].sort((a, b) => a - b).flatMap(indexesOf);
}

/** Undefined if they follow from the role's size. */
export function rememberedIndexes(
  role: Pick<ReplicaRole, 'identity'>,
  replicas: readonly Pick<Replica, 'index'>[],
): string | undefined {
  const indexes = replicas.map(({ index }) => index);
  const haveHoles = indexes.at(-1) !== indexes.length - 1;
  return uniqueNamesOf(role) !== undefined || haveHoles ? formatIndexes(indexes) || undefined : undefined;
}
