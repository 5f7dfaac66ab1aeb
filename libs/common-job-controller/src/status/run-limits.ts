/** The limits of a run. Tools match on the messages of kubeflow/training-operator, pkg/controller.v1/common/job.go. */
import type { TrainingJob } from '../model/training-job.ts';
import { momentOf } from '../model/moment-of.ts';

const messages = (name: string) => ({
  backoffLimit: `Job ${name} has failed because it has reached the specified backoff limit`,
  deadline: `Job ${name} has failed because it was active longer than specified deadline`,
});

export function reachedLimit(job: TrainingJob, restartCount: number, nowMs: number): string | undefined {
  const { backoffLimit } = job.runPolicy;
  const { backoffLimit: tooOften, deadline: tooLong } = messages(job.metadata.name);
  if (backoffLimit !== undefined && restartCount > backoffLimit) return tooOften;
  const remainingMs = remainingActiveMs(job, nowMs);
  return remainingMs !== undefined && remainingMs <= 0 ? tooLong : undefined;
}

/** Undefined without a deadline, or before the start. */
export function remainingActiveMs({ runPolicy, status }: TrainingJob, nowMs: number): number | undefined {
  const { activeDeadlineSeconds } = runPolicy;
  const startMs = momentOf(status.startTime);
  if (activeDeadlineSeconds === undefined || startMs === undefined) return undefined;
  return startMs + activeDeadlineSeconds * 1000 - nowMs;
}

/** Running pods are then stopped, whatever cleanPodPolicy keeps. */
export function wasEndedByLimit({ metadata, status }: TrainingJob): boolean {
  const message = status.conditions?.find(({ type }) => type === 'Failed')?.message ?? '';
  return Object.values(messages(metadata.name)).some((text) => message.startsWith(text));
}
