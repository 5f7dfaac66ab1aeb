/**
 * The first failure in a status, and earlier ones. Failures within a minute are one incident, recorded as the first that is no consequence
 * of another. A failure in a later attempt, or again in the same pod, is another incident. Records are only added, in order of time,
 * because pods and operators may go.
 */
import { hasCondition, type JobFailure, type JobStatus, momentOf, type Pod, timestamp } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { World } from '../world/world.ts';
import type { JobReplicas, ReplicaPod } from '../model/replica-pod.ts';
import { attemptOn } from '../model/attempt.ts';
import { failureCause } from './failure-cause.ts';
import { deletedPods, removedReplicas } from './deleted-pods.ts';
import { INCIDENT_MS, isConsequence } from './first-failure.ts';
import { failureOf, failureRecord, isStartProblem, startFailureOf } from './job-failure.ts';

type Kept = Pick<JobStatus, 'firstFailure' | 'failures'>;

type Now = Pick<World, 'nowMs' | 'deletedPods'>;

const MOST_BEFORE = 5;

export function keptFailures(
  adapter: Pick<FrameworkAdapter, 'labels'>,
  job: TrainingJob,
  { wanted, surplus }: JobReplicas,
  { nowMs, deletedPods: gone = [] }: Now,
): Kept {
  const { firstFailure, failures = [] } = job.status;
  const present = [...wanted, ...ofSameAttempt(adapter, job, surplus)];
  const earlier: Kept = failures.length > 0 ? { failures } : {};
  const before: Kept = { ...(firstFailure && { firstFailure }), ...earlier };
  const startFailures = present.flatMap((replica) => startFailureOf(replica) ?? []);
  const isOpen = firstFailure !== undefined && isStartProblem(firstFailure);
  // Later failures are consequences: programs time out waiting for the pod that cannot start.
  if (isOpen && startFailures.some(({ pod }) => pod === firstFailure.pod)) return before;
  const found = present
    .flatMap((replica) => hangOf(job, replica, nowMs) ?? failureOf(replica) ?? [])
    // A program without peers cannot have lost one.
    .map((failure) =>
      failure.class === 'Cascade' && wanted.length === 1 ? { ...failure, class: 'Program' as const } : failure,
    );
  const all = [...found, ...deletedPods(job, [...wanted, ...removedReplicas(adapter, job, wanted, gone)], found)].sort(
    (a, b) => momentIn(a) - momentIn(b),
  );
  const kept = all.reduce(withFailure, isOpen ? earlier : before);
  if (kept.firstFailure !== undefined) return kept;
  const [startFailure] = startFailures;
  return startFailure === undefined ? kept : { ...kept, firstFailure: startFailure };
}

/** A job fails with the first report. If the cause is reported later, the status and the condition Failed get it. */
export function withLaterCause(
  adapter: Pick<FrameworkAdapter, 'labels'>,
  job: TrainingJob,
  replicas: JobReplicas,
  now: Now,
): JobStatus {
  const { status } = job;
  if (status.firstFailure === undefined || !isConsequence(status.firstFailure)) return status;
  if (!hasCondition(status.conditions, 'Failed')) return status;
  const { firstFailure, failures = [] } = keptFailures(adapter, job, replicas, now);
  const isSameIncident = failures.length === (status.failures?.length ?? 0);
  if (firstFailure === undefined || isConsequence(firstFailure) || !isSameIncident) return status;
  const replica = replicas.wanted.find(({ pod }) => pod?.metadata?.name === firstFailure.pod);
  const cause =
    firstFailure.class === 'Deleted'
      ? firstFailure.message
      : replica?.pod && failureCause(replica.pod, replica.role.containerName);
  const conditions = status.conditions?.map((each) =>
    each.type === 'Failed' && cause !== undefined ? { ...each, message: withCause(each.message, cause) } : each,
  );
  return { ...status, firstFailure, ...(conditions && { conditions }) };
}

const FIRST = ' First: ';

function withCause(message: string | undefined, cause: string): string {
  return `${(message ?? '').split(FIRST)[0]}${FIRST}${cause}`;
}

/** Terminating pods of the failed attempt: the cause may be reported after its consequences. */
function ofSameAttempt(
  { labels }: Pick<FrameworkAdapter, 'labels'>,
  { roles, status: { firstFailure } }: TrainingJob,
  surplus: readonly Pod[],
): ReplicaPod[] {
  if (firstFailure === undefined) return [];
  return surplus.flatMap((pod): ReplicaPod[] => {
    const { role: name, index } = labels.replicaOf(pod) ?? {};
    const role = roles.find((each) => each.name.toLowerCase() === name);
    const isOfIt =
      role?.name === firstFailure.role
        ? attemptOn(pod) === firstFailure.attempt
        : attemptOn(pod) <= firstFailure.attempt;
    return role === undefined || index === undefined || !isOfIt ? [] : [{ role, index, state: 'terminating', pod }];
  });
}

function hangOf({ status }: TrainingJob, replica: ReplicaPod, nowMs: number): JobFailure | undefined {
  const { message } = status.progress ?? {};
  if (replica.policyRule?.onNoProgress !== true || message === undefined) return undefined;
  return failureRecord(replica, { class: 'Program', reason: 'NoProgress', message, time: timestamp(nowMs) });
}

function withFailure(kept: Kept, failure: JobFailure): Kept {
  const { firstFailure: first, failures = [] } = kept;
  if (first === undefined) return { ...kept, firstFailure: failure };
  if (isLaterIncident(failure, first)) {
    return { firstFailure: failure, failures: [...failures, first].slice(-MOST_BEFORE) };
  }
  const last = failures.at(-1);
  const isOfLast = last !== undefined && !isLaterIncident(failure, last);
  return !isOfLast && isCauseOf(failure, first) ? { ...kept, firstFailure: failure } : kept;
}

function isLaterIncident(failure: JobFailure, first: JobFailure): boolean {
  const laterMs = momentIn(failure) - momentIn(first);
  if (failure.role === first.role && failure.attempt !== first.attempt) return failure.attempt > first.attempt;
  return laterMs > INCIDENT_MS || (laterMs > 0 && failure.pod === first.pod);
}

function isCauseOf(failure: JobFailure, first: JobFailure): boolean {
  if (momentIn(first) - momentIn(failure) > INCIDENT_MS) return false;
  if (isConsequence(failure) !== isConsequence(first)) return isConsequence(first);
  return momentIn(failure) < momentIn(first);
}

function momentIn({ time }: JobFailure): number {
  return momentOf(time) ?? 0;
}
