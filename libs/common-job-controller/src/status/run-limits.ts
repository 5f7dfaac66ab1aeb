/** The limits of a run. Tools match on the messages of kubeflow/training-operator, pkg/controller.v1/common/job.go. */
import { momentOf, START_DEADLINE_EXCEEDED } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import { earliest } from '../model/requeue.ts';

const messages = (name: string) => ({
  backoffLimit: `Job ${name} has failed because it has reached the specified backoff limit`,
  deadline: `Job ${name} has failed because it was active longer than specified deadline`,
});

export interface ReachedLimit {
  readonly message: string;
  /** Default: the reason of every failed job. */
  readonly reason?: typeof START_DEADLINE_EXCEEDED;
}

export function reachedLimit(job: TrainingJob, restartCount: number, nowMs: number): ReachedLimit | undefined {
  const { backoffLimit, startDeadlineSeconds } = job.runPolicy;
  const { backoffLimit: tooOften, deadline: tooLong } = messages(job.metadata.name);
  if (backoffLimit !== undefined && restartCount > backoffLimit) return { message: tooOften };
  if (isOver(remainingActiveMs(job, nowMs))) return { message: tooLong };
  if (!isOver(remainingStartMs(job, nowMs))) return undefined;
  const message =
    `Job ${job.metadata.name} has failed because not all of its replicas ran within ${startDeadlineSeconds} s ` +
    '(spec.runPolicy.startDeadlineSeconds)';
  return { message, reason: START_DEADLINE_EXCEEDED };
}

function isOver(remainingMs: number | undefined): boolean {
  return remainingMs !== undefined && remainingMs <= 0;
}

/** Undefined if the job has no limit of time, or none that still applies. */
export function remainingMs(job: TrainingJob, nowMs: number): number | undefined {
  return earliest(remainingActiveMs(job, nowMs), remainingStartMs(job, nowMs));
}

/** Undefined without a deadline, or before the start. */
export function remainingActiveMs({ runPolicy, status }: TrainingJob, nowMs: number): number | undefined {
  return remainingOf(status.startTime, runPolicy.activeDeadlineSeconds, nowMs);
}

/** Undefined without a deadline, before the start, or once the replicas have run. */
export function remainingStartMs({ runPolicy, status }: TrainingJob, nowMs: number): number | undefined {
  const { startTime, allRunningTime, minimumRunningTime } = status;
  const hasRun = allRunningTime !== undefined || minimumRunningTime !== undefined;
  return hasRun ? undefined : remainingOf(startTime, runPolicy.startDeadlineSeconds, nowMs);
}

function remainingOf(startTime: string | undefined, seconds: number | undefined, nowMs: number): number | undefined {
  const startMs = momentOf(startTime);
  return seconds === undefined || startMs === undefined ? undefined : startMs + seconds * 1000 - nowMs;
}

/** Running pods are then stopped, whatever cleanPodPolicy keeps. */
export function wasEndedByLimit({ metadata, status }: TrainingJob): boolean {
  const { reason, message = '' } = status.conditions?.find(({ type }) => type === 'Failed') ?? {};
  return (
    reason === START_DEADLINE_EXCEEDED ||
    Object.values(messages(metadata.name)).some((text) => message.startsWith(text))
  );
}
