/**
 * Recreates the pods of a multi-pod replica together. First every pod is recorded with its UID, so that none is skipped
 * if the operator is killed in between.
 */
import { isCreatedByMuster } from '../model/replica-identity.ts';
import { isToCreate, type ReplicaPod } from '../model/replica-pod.ts';
import { placeKey, podsPerReplica, replicaKey } from '../model/replica-hosts.ts';
import { firstFailed } from '../failures/first-failure.ts';
import { isGoing } from '../failures/lost-replicas.ts';
import { dueAtMs, type FailuresInARow } from './restart-backoff.ts';
import type { RestartEntry } from './restart-entry.ts';
import { markOf, type RestartRecord } from '../model/restart-records.ts';

interface Member {
  readonly replica: ReplicaPod;
  readonly entry: RestartEntry;
}

/** A restart counts once, for the pod that failed first. */
export function withReplicaGroups(members: readonly Member[], nowMs: number): readonly Member[] {
  const several = members.filter(({ replica: { role } }) => podsPerReplica(role) > 1 && isCreatedByMuster(role));
  if (several.length === 0) return members;
  const restarted = new Map<ReplicaPod, Member>();
  for (const group of Map.groupBy(several, ({ replica }) => replicaKey(replica)).values()) {
    for (const member of recreatedTogether(group, nowMs)) restarted.set(member.replica, member);
  }
  return members.map((member) => restarted.get(member.replica) ?? member);
}

function recreatedTogether(group: readonly Member[], nowMs: number): readonly Member[] {
  const begun = group.find(isOnRecord);
  const failed = group.filter(({ entry }) => entry.restart !== undefined && entry.restart.isNew);
  const pods = failed.flatMap(({ replica: { pod } }) => pod ?? []);
  const first = firstFailed(pods);
  const cause = begun ?? failed.find(({ replica }) => replica.pod === first) ?? group.find(isLost);
  if (cause === undefined) return group;
  const known = begun?.entry.before ?? cause.entry.record ?? cause.entry.before;
  const { failures, lastFailureTime, delaySeconds } = known ?? {};
  const failure = {
    ...(failures !== undefined && { failures }),
    ...(lastFailureTime && { lastFailureTime }),
    ...(delaySeconds !== undefined && { delaySeconds }),
  };
  return group.map((member) =>
    recreated(member, { failure, isNew: begun === undefined, isCause: member === cause, nowMs }),
  );
}

interface Recreation {
  readonly failure: FailuresInARow;
  readonly isNew: boolean;
  readonly isCause: boolean;
  readonly nowMs: number;
}

function recreated({ replica, entry }: Member, { failure, isNew, isCause, nowMs }: Recreation): Member {
  const { role, index, pod } = replica;
  const { before, inPlace } = entry;
  const mark = pod === undefined ? (before?.mark ?? markOf('')) : markOf(pod.metadata?.uid ?? '');
  const containerRestarts = entry.record?.mark === mark ? entry.record.containerRestarts : undefined;
  const isCounted = isNew && isCause;
  const record: RestartRecord = {
    replica: { role, index },
    mark,
    ...(containerRestarts !== undefined && { containerRestarts }),
    replaced: true,
    ...failure,
  };
  const restart =
    pod === undefined || isGoing(replica)
      ? undefined
      : { replica: { ...replica, pod }, dueMs: dueAtMs(failure, nowMs), failures: failure.failures ?? 0, isNew };
  return {
    replica,
    entry: {
      before,
      record: before !== undefined && isSameRecord(before, record) ? before : record,
      restarts: isCounted ? entry.restarts : inPlace,
      inPlace,
      disruptions: isCounted ? entry.disruptions : 0,
      restart,
    },
  };
}

function isSameRecord(a: RestartRecord, b: RestartRecord): boolean {
  return (
    a.mark === b.mark &&
    a.replaced === b.replaced &&
    a.containerRestarts === b.containerRestarts &&
    a.failures === b.failures &&
    a.lastFailureTime === b.lastFailureTime &&
    a.delaySeconds === b.delaySeconds
  );
}

function isOnRecord({ replica, entry }: Member): boolean {
  return isRecordedToGo(replica, entry.before);
}

function isRecordedToGo({ pod }: ReplicaPod, record: RestartRecord | undefined): boolean {
  return pod !== undefined && record?.replaced === true && record.mark === markOf(pod.metadata?.uid ?? '');
}

export function isLost(member: Member): boolean {
  const { replica, entry } = member;
  if (podsPerReplica(replica.role) === 1 || !isCreatedByMuster(replica.role)) return false;
  if (replica.state === 'terminating') return !isOnRecord(member);
  return isToCreate(replica) && replica.hasStarted === true && entry.before?.replaced !== true;
}

export function awaitingGroup(
  wanted: readonly ReplicaPod[],
  records: ReadonlyMap<string, RestartRecord>,
): readonly ReplicaPod[] {
  const several = wanted.filter(({ role }) => podsPerReplica(role) > 1);
  const going = new Set(
    several.filter((replica) => isRecordedToGo(replica, records.get(placeKey(replica)))).map(replicaKey),
  );
  if (going.size === 0) return wanted;
  return wanted.map((replica) =>
    replica.state === 'missing' && going.has(replicaKey(replica)) ? { ...replica, blockedBy: 'group' } : replica,
  );
}
