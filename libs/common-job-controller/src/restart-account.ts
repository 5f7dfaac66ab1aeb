/**
 * Counts restarts, each once. A restart is a failed pod that is made anew, or a container that the kubelet has started
 * again in its pod. What has been counted of each replica stands in the job's status, by the pod's UID, so neither a
 * restart of the operator nor the deletion of a pod changes a count.
 */
import type { JobStatus, Pod, RestartRecord } from '@muster/job-api';
import type { TrainingJob } from './adapter.ts';
import { timestamp } from './conditions.ts';
import { isToRestart, type JobReplicas } from './job-replicas.ts';
import { momentOf } from './moment-of.ts';
import { endOf } from './pod-end.ts';
import { podNameOf } from './pod-name.ts';
import { containerRestarts, type ReplicaPod } from './replica-pods.ts';
import { FORGOTTEN_AFTER_MS, restartDelayMs } from './restart-backoff.ts';
import { replacedPods } from './workloads.ts';

/** A failed replica that is made anew. */
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
}

interface Entry {
  readonly record: RestartRecord | undefined;
  readonly restarts: number;
  readonly disruptions: number;
  readonly restart: Restart | undefined;
}

export function restartAccount(job: TrainingJob, replicas: JobReplicas, nowMs: number): RestartAccount {
  const known = new Map(job.status.restarts?.map((record) => [record.pod, record]));
  const entries = replicas.wanted.map((replica) => {
    const name = podNameOf(job, replica);
    return entryOf(name, replica, known.get(name), nowMs);
  });
  const sum = (count: (entry: Entry) => number) => entries.reduce((total, entry) => total + count(entry), 0);
  return {
    restartCount: (job.status.restartCount ?? 0) + sum(({ restarts }) => restarts),
    disruptionCount: (job.status.disruptionCount ?? 0) + sum(({ disruptions }) => disruptions),
    restarts: [...entries.flatMap(({ record }) => record ?? []), ...ofSurplus(job, replicas)],
    pending: entries.flatMap(({ restart }) => restart ?? []),
  };
}

/** What is on record of pods that are to go: a role that grows again before they are gone must not find them uncounted. */
function ofSurplus(job: TrainingJob, { wanted, surplus }: JobReplicas): RestartRecord[] {
  const uids = new Set(surplus.map(({ metadata }) => metadata?.uid));
  const names = new Set(wanted.map((replica) => podNameOf(job, replica)));
  return job.status.restarts?.filter(({ pod, uid }) => uids.has(uid) && !names.has(pod)) ?? [];
}

function entryOf(name: string, replica: ReplicaPod, before: RestartRecord | undefined, nowMs: number): Entry {
  const { pod, role, workload } = replica;
  if (pod === undefined) return { record: before, restarts: 0, disruptions: 0, restart: undefined };
  // A Job replaces its pods itself, as the kubelet starts containers again; those of a StatefulSet have their names.
  const { uid = '' } = (role.workload?.kind === 'Job' && workload !== undefined ? workload : pod).metadata ?? {};
  const same = before?.uid === uid ? before : undefined;
  const inPlace = containerRestarts(pod, role.containerName) + replacedPods(workload, pod);
  const newInPlace = Math.max(0, inPlace - (same?.containerRestarts ?? 0));
  const isRestarting = isToRestart(replica);
  const isNew = isRestarting && same?.replaced !== true;
  const isFailure = endOf(pod) === 'ProgramFailed';
  const failure = isNew ? nextFailure(before, pod, nowMs) : lastFailure(before);
  const record =
    newInPlace === 0 && !isNew
      ? before
      : {
          pod: name,
          uid,
          ...(inPlace > 0 && { containerRestarts: inPlace }),
          ...(isRestarting && { replaced: true }),
          ...failure,
        };
  const restart = { replica: { ...replica, pod }, ...attempt(failure, nowMs), isNew };
  return {
    record,
    restarts: newInPlace + (isNew && isFailure ? 1 : 0),
    disruptions: isNew && !isFailure ? 1 : 0,
    restart: isRestarting ? restart : undefined,
  };
}

type Failure = Pick<RestartRecord, 'failures' | 'lastFailureTime'>;

function lastFailure(record: RestartRecord | undefined): Failure {
  return record?.failures === undefined
    ? {}
    : { failures: record.failures, ...(record.lastFailureTime && { lastFailureTime: record.lastFailureTime }) };
}

function nextFailure(before: RestartRecord | undefined, pod: Pod, nowMs: number): Failure {
  const ranMs = nowMs - (momentOf(pod.metadata?.creationTimestamp) ?? nowMs);
  const inARow = ranMs >= FORGOTTEN_AFTER_MS ? 0 : (before?.failures ?? 0);
  return { failures: inARow + 1, lastFailureTime: timestamp(nowMs) };
}

/** A failure that lies in the future says that the clock was set back; nothing waits for that. */
function attempt({ failures = 0, lastFailureTime }: Failure, nowMs: number) {
  const failedMs = momentOf(lastFailureTime);
  if (failedMs === undefined || failedMs > nowMs) return { dueMs: nowMs, failures };
  return { dueMs: failedMs + restartDelayMs(failures), failures };
}
