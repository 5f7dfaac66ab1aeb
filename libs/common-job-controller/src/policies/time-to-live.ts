import type { JobStatus, RunPolicy } from '@muster/job-api';
import { momentOf } from '../model/moment-of.ts';
import type { Write } from '../model/write.ts';

interface FinishedJob {
  /** Also set for a job with an invalid spec. */
  readonly runPolicy: Partial<RunPolicy>;
  readonly status: JobStatus;
}

export interface TimeToLive {
  readonly writes: readonly Write[];
  readonly requeueAfterMs: number | undefined;
}

export function planTimeToLive(job: FinishedJob, nowMs: number): TimeToLive {
  const remainingMs = remainingLifeMs(job, nowMs);
  return remainingMs !== undefined && remainingMs <= 0
    ? { writes: [{ op: 'deleteJob' }], requeueAfterMs: undefined }
    : { writes: [], requeueAfterMs: remainingMs };
}

function remainingLifeMs({ runPolicy, status }: FinishedJob, nowMs: number): number | undefined {
  const { ttlSecondsAfterFinished } = runPolicy;
  const endMs = endOf(status);
  if (!Number.isInteger(ttlSecondsAfterFinished) || ttlSecondsAfterFinished === undefined) return undefined;
  return endMs === undefined ? undefined : endMs + ttlSecondsAfterFinished * 1000 - nowMs;
}

/** In milliseconds. Kubeflow's operator omits completionTime for failed jobs. */
export function endOf({ completionTime, conditions = [] }: JobStatus): number | undefined {
  const end = conditions.find(({ type, status }) => (type === 'Succeeded' || type === 'Failed') && status === 'True');
  return momentOf(completionTime) ?? momentOf(end?.lastTransitionTime);
}
