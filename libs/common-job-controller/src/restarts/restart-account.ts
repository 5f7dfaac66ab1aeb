/**
 * Counts restarts exactly once: recreated pods, and containers that the kubelet restarted. The counts of a replica are in the job's status
 * (`restart-records.ts`) until another pod of it is recorded as running, so neither an operator restart nor a pod deletion changes them. The
 * failures in a row are an annotation of the replacement pod. Restarts that do not fit into the status are deferred, uncounted.
 */
import { ANNOTATIONS, type JobStatus, type Pod } from '@muster/job-api';
import type { Outcome } from '../contract/adapter.ts';
import { uniqueNamesOf, isCreatedByMuster } from '../model/replica-identity.ts';
import type { Replica, TrainingJob } from '../model/training-job.ts';
import { countedAs, needsRestart, type CountedAs } from './failure-rule.ts';
import { hasRun, type JobReplicas, type ReplicaPod } from '../model/replica-pod.ts';
import { podNameOf } from '../model/pod-name.ts';
import { isEndedByCluster } from '../pods/pod-end.ts';
import { placeKey } from '../model/replica-hosts.ts';
import { containerRestarts } from '../pods/replica-pods.ts';
import { groupRecords, groupRestarts, isRestartedWith, newAttempt, type GroupRestart } from './group-restart.ts';
import { failedAgain, failuresIn, ranMs, type FailuresInARow } from './restart-backoff.ts';
import { inPlaceCause, recreationCause } from './restart-cause.ts';
import type { RestartCause } from '../model/status-write.ts';
import {
  isRecordOf,
  recordsIn,
  restartOf,
  unchanged,
  withRoom,
  type Restart,
  type RestartEntry,
} from './restart-entry.ts';
import { isLost, withReplicaGroups } from './replica-groups.ts';
import {
  markOf,
  restartGroups,
  restartRecords,
  type RestartRecord,
  type RestartRecords,
} from '../model/restart-records.ts';
import { isIgnoredByJob, replacedPods, type WorkloadObject } from '../workloads/workloads.ts';

export interface RestartAccount extends Required<Pick<JobStatus, 'restartCount' | 'disruptionCount' | 'restarts'>> {
  readonly pending: readonly Restart[];
  readonly lost: readonly ReplicaPod[];
  readonly groups: readonly GroupRestart[];
  /** Failures that this run counts in `restartCount`, and whose pods are recreated. */
  readonly newFailures: number;
  /** Restarts from before Muster took the job over. */
  readonly inherited: number;
  readonly causes: { readonly recreated: readonly RestartCause[]; readonly inPlace: readonly RestartCause[] };
  readonly records: RestartRecords;
}

/** @param outcome Restarting if the framework restarts the job as a whole */
export function restartAccount(
  job: TrainingJob,
  replicas: JobReplicas,
  nowMs: number,
  outcome: Outcome = { phase: 'Pending' },
): RestartAccount {
  const known = restartRecords(job);
  const ofSurplus = recordsOfSurplus(known, job, replicas);
  const groups =
    outcome.phase === 'Restarting'
      ? [newAttempt(job, replicas.wanted, outcome.isCounted === false ? 'Nothing' : 'Failure')]
      : groupRestarts(job, replicas.wanted, { nowMs, records: known });
  const members = withReplicaGroups(
    replicas.wanted.map((replica) => entryOf(replica, known.get(placeKey(replica)), nowMs)),
    nowMs,
  );
  const entries = withRoom(
    members.map((entry) => (isRestartedWith(groups, entry.replica.role) ? inGroup(entry) : entry)),
    ofSurplus,
  );
  const records = [...recordsIn(entries), ...ofSurplus];
  const recreated = [...groups, ...entries];
  const newFailures = recreated.filter(({ countedAs: counted }) => counted === 'Failure').length;
  const disruptions = recreated.filter(({ countedAs: counted }) => counted === 'Disruption').length;
  const inPlace = entries.reduce((total, entry) => total + entry.inPlace, 0);
  // Only statuses written by Muster have `state`.
  const isTakenOver = job.status.state === undefined && job.status.startTime !== undefined;
  return {
    restartCount: (job.status.restartCount ?? 0) + newFailures + inPlace,
    disruptionCount: (job.status.disruptionCount ?? 0) + disruptions,
    restarts: [...groupRecords(job, replicas.wanted, groups), ...restartGroups(records)],
    pending: entries.flatMap(({ restart }) => restart ?? []),
    lost: members.filter(isLost).map(({ replica }) => replica),
    groups,
    newFailures,
    inherited: isTakenOver ? inPlace : 0,
    causes: { recreated: causesOf(groups, entries), inPlace: isTakenOver ? [] : causesInPlace(entries) },
    records: new Map(records.map((record) => [placeKey(record.replica), record])),
  };
}

function causesOf(groups: readonly GroupRestart[], entries: readonly RestartEntry[]): RestartCause[] {
  return [
    ...groups.filter(isCounted).map(({ cause }) => (cause === undefined ? 'JobRetried' : recreationCause(cause))),
    ...entries.filter(isCounted).flatMap(({ replica: { pod } }) => (pod ? recreationCause(pod) : [])),
  ];
}

function isCounted(restart: { readonly countedAs: CountedAs }): boolean {
  return restart.countedAs !== 'Nothing';
}

function causesInPlace(entries: readonly RestartEntry[]): RestartCause[] {
  return entries.flatMap(({ replica: { pod }, inPlace }) =>
    pod === undefined || inPlace === 0 ? [] : new Array<RestartCause>(inPlace).fill(inPlaceCause(pod)),
  );
}

/** Keeps records of pods to be deleted, so that they are not counted again if the role grows before they are gone. */
function recordsOfSurplus(known: RestartRecords, job: TrainingJob, { wanted, surplus }: JobReplicas): RestartRecord[] {
  const places = new Set(wanted.map(placeKey));
  const left = [...known.values()].filter(({ replica }) => !places.has(placeKey(replica)));
  const byName = new Map(left.map((record) => [podNameOf(job, record.replica), record]));
  const going = surplus.flatMap((pod) => {
    const record = byName.get(pod.metadata?.name ?? '');
    return isRecordOf(record, pod) ? [record] : [];
  });
  // With unique names, the replacement has another name than the failed pod, and the delay still applies.
  const awaited = new Set(wanted.filter(({ pod }) => pod === undefined).map(({ role }) => role));
  const retired = left.filter(
    (record) =>
      uniqueNamesOf(record.replica.role) !== undefined && awaited.has(record.replica.role) && !going.includes(record),
  );
  return [...going, ...retired];
}

/** Only in-place restarts count. The pod belongs to an earlier attempt then, and needs no record. */
function inGroup({ replica, before, inPlace }: RestartEntry): RestartEntry {
  return { ...unchanged(replica, before), record: undefined, inPlace };
}

function entryOf(replica: ReplicaPod, before: RestartRecord | undefined, nowMs: number): RestartEntry {
  const { pod, role, index, workload } = replica;
  if (pod === undefined) return unchanged(replica, before);
  if (role.identity?.kind === 'Job' && workload !== undefined)
    return entryOfBatchJob({ ...replica, pod }, workload, before);
  const same = isRecordOf(before, pod) ? before : undefined;
  const restartsInPod = containerRestarts(pod, role.containerName);
  const inPlace = Math.max(0, restartsInPod - (same?.containerRestarts ?? 0));
  const isRestarting = needsRestart(replica);
  const isReplaced = isRestarting || isTakenAway(replica, pod);
  const isNew = isReplaced && same?.replaced !== true;
  const failure =
    isRestarting && isNew ? nextFailure(before, { ...replica, pod }, nowMs) : lastFailure(before, pod, isRestarting);
  const record = {
    replica: { role, index },
    mark: markOf(pod.metadata?.uid ?? ''),
    ...(restartsInPod > 0 && { containerRestarts: restartsInPod }),
    ...(isReplaced && { replaced: true }),
    ...failure,
  };
  return {
    replica,
    before,
    record: inPlace > 0 || isNew ? record : (same ?? stillNeeded(before, replica)),
    inPlace,
    countedAs: isNew ? countedAs(replica) : 'Nothing',
    restart: isRestarting ? restartOf({ ...replica, pod }, failure, isNew, nowMs) : undefined,
  };
}

/** Preemption, eviction through the API or a lost node: the pod has not failed, but counts as a disruption. */
function isTakenAway({ role, state }: ReplicaPod, pod: Pod): boolean {
  return isCreatedByMuster(role) && state === 'terminating' && isEndedByCluster(pod);
}

/** A Job replaces its pods itself. The record of the newest pod also counts disruptions that the Job ignores. */
function entryOfBatchJob(
  replica: Restart['replica'],
  job: WorkloadObject,
  before: RestartRecord | undefined,
): RestartEntry {
  const { role, index, pod } = replica;
  const [mark, workload] = [markOf(pod.metadata?.uid ?? ''), markOf(job.metadata?.uid ?? '')];
  const inPod = containerRestarts(pod, role.containerName);
  const counted = countedOfBatchJob(before, mark, workload, inPod);
  const replaced = Math.max(counted.replaced, replacedPods(job, pod));
  const restarts = Math.max(0, inPod - counted.inPod) + replaced - counted.replaced;
  const isTaken = replica.state !== 'succeeded' && isIgnoredByJob(job, pod);
  const isDisrupted = isTaken && !(before?.mark === mark && before.replaced === true);
  const hasServed = before?.replaced === true && before.mark !== mark && hasRun(replica);
  if (restarts === 0 && !isDisrupted && before?.mark !== workload && !hasServed) return unchanged(replica, before);
  const isNeeded = inPod > 0 || replaced > 0 || isTaken;
  const record = {
    replica: { role, index },
    mark,
    ...(inPod > 0 && { containerRestarts: inPod }),
    ...(replaced > 0 && { workload, replacedPods: replaced }),
    ...(isTaken && { replaced: true }),
  };
  return {
    ...unchanged(replica, before),
    record: isNeeded ? record : undefined,
    inPlace: restarts,
    countedAs: isDisrupted ? 'Disruption' : 'Nothing',
  };
}

function countedOfBatchJob(before: RestartRecord | undefined, mark: string, workload: string, inPod: number) {
  const { containerRestarts: inBefore = 0, replacedPods: replaced = 0 } = before ?? {};
  // Legacy record: the sum of both counts, marked with the Job alone.
  if (before?.mark === workload) return { inPod: Math.min(inPod, inBefore), replaced: Math.max(0, inBefore - inPod) };
  return { inPod: before?.mark === mark ? inBefore : 0, replaced: before?.workload === workload ? replaced : 0 };
}

/** A record is obsolete once another pod of the replica runs that carries the failure count itself. */
function stillNeeded(before: RestartRecord | undefined, replica: ReplicaPod): RestartRecord | undefined {
  const isKnown = before?.failures === undefined || failuresOnPod(replica.pod) !== undefined;
  return hasRun(replica) && isKnown ? undefined : before;
}

function failuresOnPod(pod: Pod | undefined): number | undefined {
  const text = pod?.metadata?.annotations?.[ANNOTATIONS.failures] ?? '';
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}

export function withFailures(pod: Pod, replica: Replica, records: RestartRecords): Pod {
  const failures = failuresBefore(replica, records);
  if (failures === undefined) return pod;
  const annotations = { ...pod.metadata?.annotations, [ANNOTATIONS.failures]: String(failures) };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

function failuresBefore(replica: Replica, records: RestartRecords): number | undefined {
  const { role } = replica;
  if (uniqueNamesOf(role) === undefined) return records.get(placeKey(replica))?.failures;
  const ofRole = [...records.values()].filter((record) => record.replica.role === role && record.replaced === true);
  const failures = ofRole.flatMap((record) => record.failures ?? []);
  return failures.length === 0 ? undefined : Math.max(...failures);
}

/** The recorded failures. A pod that stays has the count in its annotation, so the record leaves it out. */
function lastFailure(before: RestartRecord | undefined, pod: Pod, isRestarting: boolean): FailuresInARow {
  const onPod = failuresOnPod(pod);
  if (onPod !== undefined && !isRestarting) return {};
  const failures = before?.failures ?? onPod;
  return failures === undefined ? {} : failuresIn({ ...before, failures });
}

function nextFailure(before: RestartRecord | undefined, replica: Restart['replica'], nowMs: number): FailuresInARow {
  const { role, policyRule, pod } = replica;
  const failures = before?.failures ?? failuresOnPod(pod) ?? 0;
  return failedAgain(failures, ranMs(pod, role.containerName, nowMs), nowMs, policyRule?.delaySeconds);
}
