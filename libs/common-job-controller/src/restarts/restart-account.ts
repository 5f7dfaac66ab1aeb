/**
 * Counts restarts exactly once: recreated pods, and containers that the kubelet restarted. The counts of a replica are
 * in the job's status (`restart-records.ts`) until another pod of it is recorded as running, so neither an operator
 * restart nor a pod deletion changes them. The failures in a row are an annotation of the replacement pod. Restarts
 * that do not fit into the status are deferred, uncounted, until there is room.
 */
import { ANNOTATIONS, type JobStatus, type Pod } from '@muster/job-api';
import { uniqueNamesOf, isCreatedByMuster } from '../model/replica-identity.ts';
import type { Replica, TrainingJob } from '../model/training-job.ts';
import { needsRestart, countedAs } from './failure-rule.ts';
import type { JobReplicas, ReplicaPod } from '../model/replica-pod.ts';
import { podNameOf } from '../model/pod-name.ts';
import { isEndedByCluster } from '../pods/pod-end.ts';
import { placeKey } from '../model/replica-hosts.ts';
import { containerRestarts } from '../pods/replica-pods.ts';
import { groupRecords, groupRestarts, isRestartedWith, newAttempt, type GroupRestart } from './group-restart.ts';
import { dueAtMs, failedAgain, ranMs, type FailuresInARow } from './restart-backoff.ts';
import { inPlaceCause, recreationCause } from './restart-cause.ts';
import type { RestartCause } from '../model/status-write.ts';
import type { Restart, RestartEntry } from './restart-entry.ts';
import { isLost, withReplicaGroups } from './replica-groups.ts';
import { fitsStatus, markOf, restartGroups, restartRecords, type RestartRecord } from '../model/restart-records.ts';
import { isIgnoredByJob, replacedPods, type WorkloadObject } from '../workloads/workloads.ts';

export interface RestartAccount extends Required<Pick<JobStatus, 'restartCount' | 'disruptionCount' | 'restarts'>> {
  readonly pending: readonly Restart[];
  readonly lost: readonly ReplicaPod[];
  readonly groups: readonly GroupRestart[];
  /** The part of `restartCount` that is recreated, first seen in this run. */
  readonly begun: number;
  /** Restarts from before Muster took the job over. */
  readonly inherited: number;
  readonly causes: {
    readonly recreated: readonly RestartCause[];
    readonly inPlace: readonly RestartCause[];
  };
  readonly records: ReadonlyMap<string, RestartRecord>;
}

/** @param restartsJob whether the framework restarts the job as a whole */
export function restartAccount(
  job: TrainingJob,
  replicas: JobReplicas,
  nowMs: number,
  restartsJob = false,
): RestartAccount {
  const known = restartRecords(job);
  const ofSurplus = recordsOfSurplus(known, job, replicas);
  const groups = restartsJob
    ? [newAttempt(job, replicas.wanted)]
    : groupRestarts(job, replicas.wanted, { nowMs, records: known });
  const members = withReplicaGroups(
    replicas.wanted.map((replica) => ({ replica, entry: entryOf(replica, known.get(placeKey(replica)), nowMs) })),
    nowMs,
  );
  const entries = withRoom(
    members.map(({ replica, entry }) => (isRestartedWith(groups, replica.role) ? inGroup(entry) : entry)),
    ofSurplus,
  );
  const records = [...recordsIn(entries), ...ofSurplus];
  const sum = (count: (entry: RestartEntry) => number) => entries.reduce((total, entry) => total + count(entry), 0);
  const together = groups.filter((group) => group.countedAs === 'Failure').length;
  const disrupted = groups.filter((group) => group.countedAs === 'Disruption').length;
  return {
    restartCount: (job.status.restartCount ?? 0) + together + sum(({ restarts }) => restarts),
    disruptionCount: (job.status.disruptionCount ?? 0) + disrupted + sum(({ disruptions }) => disruptions),
    restarts: [...groupRecords(job, replicas.wanted, groups), ...restartGroups(records)],
    pending: entries.flatMap(({ restart }) => restart ?? []),
    lost: members.filter(isLost).map(({ replica }) => replica),
    groups,
    begun: together + sum(({ restarts, inPlace }) => restarts - inPlace),
    inherited: isTakenOver(job) ? sum(({ inPlace }) => inPlace) : 0,
    causes: causesOf(
      groups,
      members.map(({ replica }, at) => ({ replica, entry: entries[at]! })),
      isTakenOver(job),
    ),
    records: new Map(records.map((record) => [placeKey(record.replica), record])),
  };
}

function causesOf(
  groups: readonly GroupRestart[],
  members: readonly { readonly replica: ReplicaPod; readonly entry: RestartEntry }[],
  isInherited: boolean,
): RestartAccount['causes'] {
  const each = (count: (entry: RestartEntry) => number, causeOf: (pod: Pod) => RestartCause) =>
    members.flatMap(({ replica: { pod }, entry }) =>
      Array.from({ length: count(entry) }, () => (pod === undefined ? 'ProgramFailed' : causeOf(pod))),
    );
  return {
    recreated: [
      ...groups
        .filter((group) => group.countedAs !== 'Nothing')
        .map(({ cause }) => (cause === undefined ? 'JobRetried' : recreationCause(cause))),
      ...each(({ restarts, inPlace, disruptions }) => restarts - inPlace + disruptions, recreationCause),
    ],
    inPlace: isInherited ? [] : each(({ inPlace }) => inPlace, inPlaceCause),
  };
}

/** Only statuses written by Muster have `state`. */
function isTakenOver({ status: { state, startTime } }: TrainingJob): boolean {
  return state === undefined && startTime !== undefined;
}

function recordsIn(entries: readonly RestartEntry[]): RestartRecord[] {
  return entries.flatMap(({ record }) => record ?? []);
}

/** Keeps records of pods to be deleted, so that they are not counted again if the role grows before they are gone. */
function recordsOfSurplus(
  known: ReadonlyMap<string, RestartRecord>,
  job: TrainingJob,
  { wanted, surplus }: JobReplicas,
): RestartRecord[] {
  const places = new Set(wanted.map(placeKey));
  const left = [...known.values()].filter(({ replica }) => !places.has(placeKey(replica)));
  const byName = new Map(left.map((record) => [podNameOf(job, record.replica), record]));
  const going = surplus.flatMap(({ metadata: { name = '', uid = '' } = {} }) => {
    const record = byName.get(name);
    return record !== undefined && record.mark === markOf(uid) ? [record] : [];
  });
  // With unique names, the replacement has another name than the failed pod, and the delay still applies.
  const awaited = new Set(wanted.filter(({ pod }) => pod === undefined).map(({ role }) => role));
  const retired = left.filter(
    (record) =>
      uniqueNamesOf(record.replica.role) !== undefined && awaited.has(record.replica.role) && !going.includes(record),
  );
  return [...going, ...retired];
}

function withRoom(entries: readonly RestartEntry[], ofSurplus: readonly RestartRecord[]): readonly RestartEntry[] {
  const isNews = ({ before, record }: RestartEntry) => record !== undefined && record !== before;
  let kept = entries;
  for (
    let most = entries.filter(isNews).length;
    most > 0 && !fitsStatus([...recordsIn(kept), ...ofSurplus]);
    most = Math.floor(most / 2)
  ) {
    let left = Math.floor(most / 2);
    kept = entries.map((entry) => (isNews(entry) && left-- <= 0 ? uncounted(entry) : entry));
  }
  return kept;
}

function uncounted({ before, restart }: RestartEntry): RestartEntry {
  return { ...unchanged(before), restart: restart?.isNew === true ? undefined : restart };
}

/** Only in-place restarts count. The pod belongs to an earlier attempt then, and needs no record. */
function inGroup({ before, inPlace }: RestartEntry): RestartEntry {
  return { ...unchanged(before), record: undefined, restarts: inPlace, inPlace };
}

function unchanged(before: RestartRecord | undefined): RestartEntry {
  return { before, record: before, restarts: 0, inPlace: 0, disruptions: 0, restart: undefined };
}

function entryOf(replica: ReplicaPod, before: RestartRecord | undefined, nowMs: number): RestartEntry {
  const { pod, role, index, workload } = replica;
  if (pod === undefined) return unchanged(before);
  if (role.identity?.kind === 'Job' && workload !== undefined)
    return entryOfJob({ role, index }, workload, { pod, state: replica.state }, before);
  const { uid = '' } = pod.metadata ?? {};
  const same = before?.mark === markOf(uid) ? before : undefined;
  const inPlace = containerRestarts(pod, role.containerName);
  const newInPlace = Math.max(0, inPlace - (same?.containerRestarts ?? 0));
  const isRestarting = needsRestart(replica);
  const isReplaced = isRestarting || isTakenAway(replica, pod);
  const isNew = isReplaced && same?.replaced !== true;
  const counts = countedAs(replica);
  const isNewFailure = isRestarting && isNew;
  const failure = isNewFailure ? nextFailure(before, replica, pod, nowMs) : lastFailure(before, pod, isRestarting);
  const record =
    newInPlace === 0 && !isNew
      ? stillNeeded(before, same, replica)
      : {
          replica: { role, index },
          mark: markOf(uid),
          ...(inPlace > 0 && { containerRestarts: inPlace }),
          ...(isReplaced && { replaced: true }),
          ...failure,
        };
  const restart = {
    replica: { ...replica, pod },
    dueMs: dueAtMs(failure, nowMs),
    failures: failure.failures ?? 0,
    isNew,
  };
  return {
    before,
    record,
    restarts: newInPlace + (isNew && counts === 'Failure' ? 1 : 0),
    inPlace: newInPlace,
    disruptions: isNew && counts === 'Disruption' ? 1 : 0,
    restart: isRestarting ? restart : undefined,
  };
}

/** Preemption, eviction through the API or a lost node: the pod has not failed, but counts as a disruption. */
function isTakenAway({ role, state }: ReplicaPod, pod: Pod): boolean {
  return isCreatedByMuster(role) && state === 'terminating' && isEndedByCluster(pod);
}

/** A Job replaces its pods itself. The record of the newest pod also counts disruptions that the Job ignores. */
function entryOfJob(
  replica: Replica,
  job: WorkloadObject,
  { pod, state }: Required<Pick<ReplicaPod, 'pod' | 'state'>>,
  before: RestartRecord | undefined,
): RestartEntry {
  const [mark, workload] = [markOf(pod.metadata?.uid ?? ''), markOf(job.metadata?.uid ?? '')];
  const inPod = containerRestarts(pod, replica.role.containerName);
  const counted = countedOfJob(before, { mark, workload, inPod });
  const replaced = Math.max(counted.replaced, replacedPods(job, pod));
  const restarts = Math.max(0, inPod - counted.inPod) + replaced - counted.replaced;
  const isTaken = state !== 'succeeded' && isIgnoredByJob(job, pod);
  const disruptions = isTaken && !(before?.mark === mark && before.replaced === true) ? 1 : 0;
  const hasServed = before?.replaced === true && before.mark !== mark && (state === 'running' || state === 'succeeded');
  if (restarts + disruptions === 0 && before?.mark !== workload && !hasServed) return unchanged(before);
  const isNeeded = inPod > 0 || replaced > 0 || isTaken;
  const record = {
    replica,
    mark,
    ...(inPod > 0 && { containerRestarts: inPod }),
    ...(replaced > 0 && { workload, replacedPods: replaced }),
    ...(isTaken && { replaced: true }),
  };
  return { ...unchanged(before), record: isNeeded ? record : undefined, restarts, inPlace: restarts, disruptions };
}

function countedOfJob(
  before: RestartRecord | undefined,
  { mark, workload, inPod }: { mark: string; workload: string; inPod: number },
): { inPod: number; replaced: number } {
  const { containerRestarts: inBefore = 0, replacedPods: replaced = 0 } = before ?? {};
  // Legacy record: the sum of both counts, marked with the Job alone.
  if (before?.mark === workload) return { inPod: Math.min(inPod, inBefore), replaced: Math.max(0, inBefore - inPod) };
  return {
    inPod: before?.mark === mark ? inBefore : 0,
    replaced: before?.workload === workload ? replaced : 0,
  };
}

/** A record is obsolete once another pod of the replica runs that carries the failure count itself. */
function stillNeeded(
  before: RestartRecord | undefined,
  same: RestartRecord | undefined,
  { state, pod }: ReplicaPod,
): RestartRecord | undefined {
  if (before === undefined || before === same) return before;
  const isThere = state === 'running' || state === 'succeeded';
  const isKnown = before.failures === undefined || failuresOnPod(pod) !== undefined;
  return isThere && isKnown ? undefined : before;
}

function failuresOnPod(pod: Pod | undefined): number | undefined {
  const text = pod?.metadata?.annotations?.[ANNOTATIONS.failures] ?? '';
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}

export function withFailures(pod: Pod, replica: Replica, records: RestartAccount['records']): Pod {
  const { metadata = {} } = pod;
  const failures = failuresBefore(replica, records);
  if (failures === undefined) return pod;
  return {
    ...pod,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [ANNOTATIONS.failures]: String(failures) } },
  };
}

function failuresBefore(replica: Replica, records: RestartAccount['records']): number | undefined {
  const { role } = replica;
  if (uniqueNamesOf(role) === undefined) return records.get(placeKey(replica))?.failures;
  const ofRole = [...records.values()].filter((record) => record.replica.role === role && record.replaced === true);
  const failures = ofRole.flatMap((record) => record.failures ?? []);
  return failures.length === 0 ? undefined : Math.max(...failures);
}

/** The recorded failures. If the pod's annotation has them, only when the pod is to be recreated. */
function lastFailure(before: RestartRecord | undefined, pod: Pod, isGoing: boolean): FailuresInARow {
  const onPod = failuresOnPod(pod);
  const { failures = isGoing ? onPod : undefined, lastFailureTime, delaySeconds } = before ?? {};
  if (failures === undefined || (!isGoing && onPod !== undefined)) return {};
  return {
    failures,
    ...(lastFailureTime && { lastFailureTime }),
    ...(delaySeconds !== undefined && { delaySeconds }),
  };
}

function nextFailure(
  before: RestartRecord | undefined,
  { role, policyRule }: ReplicaPod,
  pod: Pod,
  nowMs: number,
): FailuresInARow {
  const failures = before?.failures ?? failuresOnPod(pod) ?? 0;
  return failedAgain(failures, ranMs(pod, role.containerName, nowMs), nowMs, policyRule?.delaySeconds);
}
