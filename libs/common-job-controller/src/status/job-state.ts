/** The state of a job in one word, which follows from its conditions. */
import type { JobCondition, JobStatus } from '@muster/job-api';
import { isBesideState, isFinished, timestamp, withCreatedOldest } from '../model/conditions.ts';

/** The newest condition that holds, in one word. What a job lacks or waits for is no state of it. */
function stateOfConditions(conditions: readonly JobCondition[]): string {
  return conditions.findLast((each) => each.status === 'True' && !isBesideState(each))?.type ?? 'Created';
}

/** `status` with its conditions in order of time, and what follows from them: the state in one word, and when the job ended. */
export function completed(status: JobStatus, nowMs: number): JobStatus {
  const conditions = [...withCreatedOldest(status.conditions ?? [])];
  const { completionTime, ...open } = { ...status, conditions, state: stateOfConditions(conditions) };
  if (!isFinished(open)) return open;
  return { ...open, completionTime: completionTime ?? timestamp(nowMs) };
}

/** How a job has ended whose terminal condition somebody has removed: it must not run again. */
export function endOnRecord({ completionTime, state }: JobStatus): 'Succeeded' | 'Failed' | undefined {
  if (completionTime === undefined) return undefined;
  return state === 'Succeeded' || state === 'Failed' ? state : undefined;
}
