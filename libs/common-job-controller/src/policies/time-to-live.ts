import { type JobStatus, momentOf, type RunPolicy } from '@muster/job-api';
import type { Decision } from '../model/decision.ts';

interface FinishedJob {
  /** Also set for a job with an invalid spec. */
  readonly runPolicy: Partial<RunPolicy>;
  readonly status: JobStatus;
}

export type TimeToLive = Pick<Decision, 'writes' | 'requeueAfterMs'>;

export function planTimeToLive({ runPolicy, status }: FinishedJob, nowMs: number): TimeToLive {
  const { ttlSecondsAfterFinished: seconds } = runPolicy;
  const endMs = endTimeMs(status);
  const isLimited = seconds !== undefined && Number.isInteger(seconds) && endMs !== undefined;
  const remainingMs = isLimited ? endMs + seconds * 1000 - nowMs : undefined;
  return remainingMs !== undefined && remainingMs <= 0
    ? { writes: [{ op: 'deleteJob' }], requeueAfterMs: undefined }
    : { writes: [], requeueAfterMs: remainingMs };
}

/** In milliseconds. Kubeflow's operator omits completionTime for failed jobs. */
export function endTimeMs({ completionTime, conditions = [] }: JobStatus): number | undefined {
  const end = conditions.find(({ type, status }) => (type === 'Succeeded' || type === 'Failed') && status === 'True');
  return momentOf(completionTime) ?? momentOf(end?.lastTransitionTime);
}
