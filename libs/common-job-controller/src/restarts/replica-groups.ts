/**
 * Pods of a replica that has several are recreated together: when one has failed or is lost, the others go with it. All of them
 * are put on record first, each with the incarnation that goes, so that none is forgotten wherever the operator is killed.
 */
import { isMadeByMuster } from '../model/replica-identity.ts';
import { isToCreate, type ReplicaPod } from '../model/replica-pod.ts';
import { placeKey, podsPerReplica, replicaKey } from '../model/replica-hosts.ts';
import { firstFailed } from '../failures/first-failure.ts';
import { isGoing } from '../failures/lost-replicas.ts';
import { dueAtMs, type FailuresInARow } from './restart-backoff.ts';
import type { RestartEntry } from './restart-entry.ts';
import { markOf, type RestartRecord } from '../model/restart-records.ts';

/** What is known of one pod. */
interface Member {
  readonly replica: ReplicaPod;
  readonly entry: RestartEntry;
}

/** The members with what follows from their mates. A restart of several counts once, by the one that failed first. */
export function withReplicaGroups(members: readonly Member[], nowMs: number): readonly Member[] {
  const several = members.filter(({ replica: { role } }) => podsPerReplica(role) > 1 && isMadeByMuster(role));
  if (several.length === 0) return members;
  const restarted = new Map<ReplicaPod, Member>();
  for (const mates of Map.groupBy(several, ({ replica }) => replicaKey(replica)).values()) {
    for (const member of recreatedTogether(mates, nowMs)) restarted.set(member.replica, member);
  }
  return members.map((member) => restarted.get(member.replica) ?? member);
}

function recreatedTogether(mates: readonly Member[], nowMs: number): readonly Member[] {
  const begun = mates.find(isOnRecord);
  const failed = mates.filter(({ entry }) => entry.restart !== undefined && entry.restart.isNew);
  const pods = failed.flatMap(({ replica: { pod } }) => pod ?? []);
  const first = firstFailed(pods);
  const cause = begun ?? failed.find(({ replica }) => replica.pod === first) ?? mates.find(isLost);
  if (cause === undefined) return mates;
  const known = begun?.entry.before ?? cause.entry.record ?? cause.entry.before;
  const { failures, lastFailureTime, delaySeconds } = known ?? {};
  const failure = {
    ...(failures !== undefined && { failures }),
    ...(lastFailureTime && { lastFailureTime }),
    ...(delaySeconds !== undefined && { delaySeconds }),
  };
  return mates.map((mate) => recreated(mate, { failure, isNew: begun === undefined, isCause: mate === cause, nowMs }));
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
  return goesWithMates(replica, entry.before);
}

/** Whether the pod that is there is on record as one that goes. */
function goesWithMates({ pod }: ReplicaPod, record: RestartRecord | undefined): boolean {
  return pod !== undefined && record?.replaced === true && record.mark === markOf(pod.metadata?.uid ?? '');
}

/** Whether a pod of a replica of several goes, or has gone, and is not being recreated already. */
export function isLost(member: Member): boolean {
  const { replica, entry } = member;
  if (podsPerReplica(replica.role) === 1 || !isMadeByMuster(replica.role)) return false;
  if (replica.state === 'terminating') return !isOnRecord(member);
  return isToCreate(replica) && replica.hasStarted === true && entry.before?.replaced !== true;
}

/** The replicas; a missing one is blocked while another pod of its group still goes. */
export function awaitingGroup(
  wanted: readonly ReplicaPod[],
  records: ReadonlyMap<string, RestartRecord>,
): readonly ReplicaPod[] {
  const several = wanted.filter(({ role }) => podsPerReplica(role) > 1);
  const going = new Set(
    several.filter((replica) => goesWithMates(replica, records.get(placeKey(replica)))).map(replicaKey),
  );
  if (going.size === 0) return wanted;
  return wanted.map((replica) =>
    replica.state === 'missing' && going.has(replicaKey(replica)) ? { ...replica, blockedBy: 'group' } : replica,
  );
}
