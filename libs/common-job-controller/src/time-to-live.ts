/** When a finished job is deleted, with all that it still has. */
import type { JobStatus, RunPolicy } from '@muster/job-api';
import type { Plan } from './plan.ts';

interface FinishedJob {
  readonly runPolicy: Partial<RunPolicy>;
  readonly status: JobStatus;
}

export function planTimeToLive(job: FinishedJob, nowMs: number): Pick<Plan, 'deleteJob' | 'requeueAfterMs'> {
  const remainingMs = remainingLifeMs(job, nowMs);
  if (remainingMs === undefined) return { deleteJob: false, requeueAfterMs: undefined };
  return remainingMs <= 0
    ? { deleteJob: true, requeueAfterMs: undefined }
    : { deleteJob: false, requeueAfterMs: remainingMs };
}

function remainingLifeMs({ runPolicy, status }: FinishedJob, nowMs: number): number | undefined {
  const { ttlSecondsAfterFinished } = runPolicy;
  if (ttlSecondsAfterFinished === undefined || status.completionTime === undefined) return undefined;
  return Date.parse(status.completionTime) + ttlSecondsAfterFinished * 1000 - nowMs;
}
