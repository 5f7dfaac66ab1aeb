/**
 * Counts restarts, each once. A restart is a failed pod that is recreated, or a container that the kubelet has started
 * again in its pod. What has been counted of each replica stands in the job's status (`restart-records.ts`), until another
 * incarnation of it runs: so neither a restart of the operator nor the deletion of a pod changes a count. How often a
 * replica has failed in a row stands on the pod that was made in place of the failed one.
 *
 * What has no room in the status is not counted yet, and not recreated: it is when there is room.
 */
import { ANNOTATIONS, type JobStatus, type KubeObject, type Pod } from '@muster/job-api';
import type { Replica, TrainingJob } from '../model/training-job.ts';
import { timestamp } from '../status/conditions.ts';
import { isToRestart, type JobReplicas } from '../pods/job-replicas.ts';
import { momentOf } from '../model/moment-of.ts';
import { endOf } from '../pods/pod-end.ts';
import { podNameOf } from '../model/pod-name.ts';
import { containerRestarts, type ReplicaPod } from '../pods/replica-pods.ts';
import { FORGOTTEN_AFTER_MS, restartDelayMs } from './restart-backoff.ts';
import { fitsStatus, markOf, restartGroups, restartRecords, type RestartRecord } from './restart-records.ts';
import { replacedPods } from '../workloads/workloads.ts';

/** A failed replica that is recreated. */
export interface Restart {
  readonly replica: ReplicaPod & { readonly pod: Pod };
  /** From when on; until then the failed pod stays, with its log. */
  readonly dueMs: number;
  /** How many of its pods in a row have ended so, whoever ended them. */
  readonly failures: number;
  /** Whether this pass is the first to see it. */
  readonly isNew: boolean;
}

export interface RestartAccount extends Required<Pick<JobStatus, 'restartCount' | 'disruptionCount' | 'restarts'>> {
  readonly pending: readonly Restart[];
  /** How many of them were before Muster first looked at a job that another operator has begun. */
  readonly inherited: number;
  /** What stands in `restarts`, by the name of the pod. */
  readonly records: ReadonlyMap<string, RestartRecord>;
}

interface Entry {
  readonly before: RestartRecord | undefined;
  readonly record: RestartRecord | undefined;
  readonly restarts: number;
  /** How many of those were in place. */
  readonly inPlace: number;
  readonly disruptions: number;
  readonly restart: Restart | undefined;
}

export function restartAccount(job: TrainingJob, replicas: JobReplicas, nowMs: number): RestartAccount {
  const known = restartRecords(job);
  const ofSurplus = recordsOfSurplus(known, job, replicas);
  const entries = withRoom(
    replicas.wanted.map((replica) => entryOf(replica, known.get(podNameOf(job, replica)), nowMs)),
    ofSurplus,
  );
  const records = [...recordsIn(entries), ...ofSurplus];
  const sum = (count: (entry: Entry) => number) => entries.reduce((total, entry) => total + count(entry), 0);
  return {
    restartCount: (job.status.restartCount ?? 0) + sum(({ restarts }) => restarts),
    disruptionCount: (job.status.disruptionCount ?? 0) + sum(({ disruptions }) => disruptions),
    restarts: restartGroups(records),
    pending: entries.flatMap(({ restart }) => restart ?? []),
    inherited: isTakenOver(job) ? sum(({ inPlace }) => inPlace) : 0,
    records: new Map(records.map((record) => [podNameOf(job, record.replica), record])),
  };
}

/** Muster's own statuses have a state. */
function isTakenOver({ status: { state, startTime } }: TrainingJob): boolean {
  return state === undefined && startTime !== undefined;
}

function recordsIn(entries: readonly Entry[]): RestartRecord[] {
  return entries.flatMap(({ record }) => record ?? []);
}

/** What is on record of pods that are to go: a role that grows again before they are gone must not find them uncounted. */
function recordsOfSurplus(
  known: ReadonlyMap<string, RestartRecord>,
  job: TrainingJob,
  { wanted, surplus }: JobReplicas,
): RestartRecord[] {
  const names = new Set(wanted.map((replica) => podNameOf(job, replica)));
  return surplus.flatMap(({ metadata: { name = '', uid = '' } = {} }) => {
    const record = known.get(name);
    return record !== undefined && record.mark === markOf(uid) && !names.has(name) ? [record] : [];
  });
}

/** Of what is new, as much as the status has room for. */
function withRoom(entries: readonly Entry[], ofSurplus: readonly RestartRecord[]): readonly Entry[] {
  const isNews = ({ before, record }: Entry) => record !== undefined && record !== before;
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

function uncounted({ before, restart }: Entry): Entry {
  return { ...unchanged(before), restart: restart?.isNew === true ? undefined : restart };
}

function unchanged(before: RestartRecord | undefined): Entry {
  return { before, record: before, restarts: 0, inPlace: 0, disruptions: 0, restart: undefined };
}

function entryOf(replica: ReplicaPod, before: RestartRecord | undefined, nowMs: number): Entry {
  const { pod, role, index, workload } = replica;
  if (pod === undefined) return unchanged(before);
  if (role.workload?.kind === 'Job' && workload !== undefined)
    return entryOfJob({ role, index }, workload, pod, before);
  const { uid = '' } = pod.metadata ?? {};
  const same = before?.mark === markOf(uid) ? before : undefined;
  const inPlace = containerRestarts(pod, role.containerName);
  const newInPlace = Math.max(0, inPlace - (same?.containerRestarts ?? 0));
  const isRestarting = isToRestart(replica);
  const isNew = isRestarting && same?.replaced !== true;
  const isFailure = endOf(pod) === 'ProgramFailed';
  const failure = isNew ? nextFailure(before, pod, nowMs) : lastFailure(before, pod, isRestarting);
  const record =
    newInPlace === 0 && !isNew
      ? stillNeeded(before, same, replica)
      : {
          replica: { role, index },
          mark: markOf(uid),
          ...(inPlace > 0 && { containerRestarts: inPlace }),
          ...(isRestarting && { replaced: true }),
          ...failure,
        };
  const restart = { replica: { ...replica, pod }, ...attempt(failure, nowMs), isNew };
  return {
    before,
    record,
    restarts: newInPlace + (isNew && isFailure ? 1 : 0),
    inPlace: newInPlace,
    disruptions: isNew && !isFailure ? 1 : 0,
    restart: isRestarting ? restart : undefined,
  };
}

/** A Job replaces its pods itself, as the kubelet starts containers again. Both go on the record of the newest pod. */
function entryOfJob(replica: Replica, job: KubeObject, pod: Pod, before: RestartRecord | undefined): Entry {
  const [mark, workload] = [markOf(pod.metadata?.uid ?? ''), markOf(job.metadata?.uid ?? '')];
  const inPod = containerRestarts(pod, replica.role.containerName);
  const counted = countedOfJob(before, { mark, workload, inPod });
  const replaced = Math.max(counted.replaced, replacedPods(job, pod));
  const restarts = Math.max(0, inPod - counted.inPod) + replaced - counted.replaced;
  if (restarts === 0 && before?.mark !== workload) return unchanged(before);
  const record = {
    replica,
    mark,
    ...(inPod > 0 && { containerRestarts: inPod }),
    ...(replaced > 0 && { workload, replacedPods: replaced }),
  };
  return { ...unchanged(before), record, restarts, inPlace: restarts };
}

/** What is on record of this pod, and of this Job. */
function countedOfJob(
  before: RestartRecord | undefined,
  { mark, workload, inPod }: { mark: string; workload: string; inPod: number },
): { inPod: number; replaced: number } {
  const { containerRestarts: inBefore = 0, replacedPods: replaced = 0 } = before ?? {};
  // An earlier form: the sum of both, by the Job alone.
  if (before?.mark === workload) return { inPod: Math.min(inPod, inBefore), replaced: Math.max(0, inBefore - inPod) };
  return {
    inPod: before?.mark === mark ? inBefore : 0,
    replaced: before?.workload === workload ? replaced : 0,
  };
}

/** A record has served when another incarnation runs that knows of the failures itself. */
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

type Failure = Pick<RestartRecord, 'failures' | 'lastFailureTime'>;

/** How often the replica failed in a row before this pod was made, as it says itself. */
function failuresOnPod(pod: Pod | undefined): number | undefined {
  const text = pod?.metadata?.annotations?.[ANNOTATIONS.failures] ?? '';
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}

/** A pod to be made says how often its replica has failed, where that is on record. */
export function withFailures(pod: Pod, records: RestartAccount['records']): Pod {
  const { metadata = {} } = pod;
  const failures = records.get(metadata.name ?? '')?.failures;
  if (failures === undefined) return pod;
  return {
    ...pod,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [ANNOTATIONS.failures]: String(failures) } },
  };
}

/** What the record of a pod says of failures; where the pod says it itself, only if the pod is about to go. */
function lastFailure(before: RestartRecord | undefined, pod: Pod, isGoing: boolean): Failure {
  const onPod = failuresOnPod(pod);
  const { failures = isGoing ? onPod : undefined, lastFailureTime } = before ?? {};
  if (failures === undefined || (!isGoing && onPod !== undefined)) return {};
  return { failures, ...(lastFailureTime && { lastFailureTime }) };
}

/** The time stands there only if the next attempt has to wait. */
function nextFailure(before: RestartRecord | undefined, pod: Pod, nowMs: number): Failure {
  const ranMs = nowMs - (momentOf(pod.metadata?.creationTimestamp) ?? nowMs);
  const inARow = ranMs >= FORGOTTEN_AFTER_MS ? 0 : (before?.failures ?? failuresOnPod(pod) ?? 0);
  const failures = inARow + 1;
  return { failures, ...(restartDelayMs(failures) > 0 && { lastFailureTime: timestamp(nowMs) }) };
}

/** A failure that lies in the future says that the clock was set back; nothing waits for that. */
function attempt({ failures = 0, lastFailureTime }: Failure, nowMs: number) {
  const failedMs = momentOf(lastFailureTime);
  if (failedMs === undefined || failedMs > nowMs) return { dueMs: nowMs, failures };
  return { dueMs: failedMs + restartDelayMs(failures), failures };
}
