/**
 * The limits of a run: how long it may be active, how often its replicas may be restarted. The sentences follow
 * kubeflow/training-operator, pkg/controller.v1/common/job.go, since tools match on them.
 */
import type { TrainingJob } from '../model/training-job.ts';
import { momentOf } from '../model/moment-of.ts';

const sentences = (name: string) => ({
  backoffLimit: `Job ${name} has failed because it has reached the specified backoff limit`,
  deadline: `Job ${name} has failed because it was active longer than specified deadline`,
});

/** The sentence that says which limit is reached; undefined when none is. */
export function reachedLimit(job: TrainingJob, restartCount: number, nowMs: number): string | undefined {
  const { backoffLimit } = job.runPolicy;
  const { backoffLimit: tooOften, deadline: tooLong } = sentences(job.metadata.name);
  if (backoffLimit !== undefined && restartCount > backoffLimit) return tooOften;
  const remainingMs = remainingActiveMs(job, nowMs);
  return remainingMs !== undefined && remainingMs <= 0 ? tooLong : undefined;
}

/** Milliseconds until the deadline; undefined without one, and before the job has started. */
export function remainingActiveMs({ runPolicy, status }: TrainingJob, nowMs: number): number | undefined {
  const { activeDeadlineSeconds } = runPolicy;
  const startMs = momentOf(status.startTime);
  if (activeDeadlineSeconds === undefined || startMs === undefined) return undefined;
  return startMs + activeDeadlineSeconds * 1000 - nowMs;
}

/** Whether a limit has ended the job: then nothing of it may go on, whatever is to be kept for reading. */
export function wasEndedByLimit({ metadata, status }: TrainingJob): boolean {
  const message = status.conditions?.find(({ type }) => type === 'Failed')?.message ?? '';
  return Object.values(sentences(metadata.name)).some((sentence) => message.startsWith(sentence));
}
