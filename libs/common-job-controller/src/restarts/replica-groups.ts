/** Recreates the pods of a multi-pod replica together. All are recorded with their UIDs first, so that a killed operator skips none. */
import { isDeepStrictEqual } from 'node:util';
import { isCreatedByMuster } from '../model/replica-identity.ts';
import { isToCreate, type ReplicaPod } from '../model/replica-pod.ts';
import { placeKey, podsPerReplica, replicaKey } from '../model/replica-hosts.ts';
import { markOf, type RestartRecord, type RestartRecords } from '../model/restart-records.ts';
import { firstFailedReplica } from '../failures/first-failure.ts';
import { isGoneOrTerminating } from '../failures/lost-replicas.ts';
import { failuresIn, type FailuresInARow } from './restart-backoff.ts';
import { isRecordOf, restartOf, type RestartEntry } from './restart-entry.ts';

/** A restart counts once, for the pod that failed first. */
export function withReplicaGroups(entries: readonly RestartEntry[], nowMs: number): readonly RestartEntry[] {
  const several = entries.filter(({ replica: { role } }) => podsPerReplica(role) > 1 && isCreatedByMuster(role));
  if (several.length === 0) return entries;
  const groups = [...Map.groupBy(several, ({ replica }) => replicaKey(replica)).values()];
  const together = new Map(
    groups.flatMap((group) => recreatedTogether(group, nowMs).map((entry) => [entry.replica, entry])),
  );
  return entries.map((entry) => together.get(entry.replica) ?? entry);
}

function recreatedTogether(group: readonly RestartEntry[], nowMs: number): readonly RestartEntry[] {
  const begun = group.find(isOnRecord);
  const failed = firstFailedReplica(
    group.filter(({ restart }) => restart?.isNew === true).map(({ replica }) => replica),
  );
  const cause = begun ?? group.find(({ replica }) => replica === failed) ?? group.find(isLost);
  if (cause === undefined) return group;
  const failure = failuresIn(begun?.before ?? cause.record ?? cause.before ?? {});
  return group.map((entry) => ({
    ...recreated(entry, failure, begun === undefined, nowMs),
    countedAs: begun === undefined && entry === cause ? entry.countedAs : 'Nothing',
  }));
}

function recreated(entry: RestartEntry, failure: FailuresInARow, isNew: boolean, nowMs: number): RestartEntry {
  const { replica, before } = entry;
  const { role, index, pod } = replica;
  const mark = pod === undefined ? (before?.mark ?? markOf('')) : markOf(pod.metadata?.uid ?? '');
  const containerRestarts = entry.record?.mark === mark ? entry.record.containerRestarts : undefined;
  const record: RestartRecord = {
    replica: { role, index },
    mark,
    ...(containerRestarts !== undefined && { containerRestarts }),
    replaced: true,
    ...failure,
  };
  return {
    ...entry,
    record: isDeepStrictEqual(before, record) ? before : record,
    restart:
      pod === undefined || isGoneOrTerminating(replica)
        ? undefined
        : restartOf({ ...replica, pod }, failure, isNew, nowMs),
  };
}

function isOnRecord({ replica, before }: RestartEntry): boolean {
  return isRecordedToGo(replica, before);
}

function isRecordedToGo({ pod }: ReplicaPod, record: RestartRecord | undefined): boolean {
  return pod !== undefined && isRecordOf(record, pod) && record.replaced === true;
}

export function isLost(entry: RestartEntry): boolean {
  const { replica, before } = entry;
  if (podsPerReplica(replica.role) === 1 || !isCreatedByMuster(replica.role)) return false;
  if (replica.state === 'terminating') return !isOnRecord(entry);
  return isToCreate(replica) && replica.hasStarted === true && before?.replaced !== true;
}

export function awaitingGroup(wanted: readonly ReplicaPod[], records: RestartRecords): ReplicaPod[] {
  const several = wanted.filter(({ role }) => podsPerReplica(role) > 1);
  const going = new Set(
    several.filter((replica) => isRecordedToGo(replica, records.get(placeKey(replica)))).map(replicaKey),
  );
  return wanted.map((replica) =>
    replica.state === 'missing' && going.has(replicaKey(replica)) ? { ...replica, blockedBy: 'group' } : replica,
  );
}
