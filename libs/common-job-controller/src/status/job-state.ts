/** The job's state, derived from its conditions. */
import type { JobCondition, JobStatus } from '@muster/job-api';
import { isBesideState, isFinished, timestamp, withCreatedOldest } from '../model/conditions.ts';

/** The newest true condition that is a state, unlike ReplicaFailure or Waiting. */
function stateOfConditions(conditions: readonly JobCondition[]): string {
  return conditions.findLast((each) => each.status === 'True' && !isBesideState(each))?.type ?? 'Created';
}

/** Sorts the conditions of `status` by time and sets the derived fields `state` and `completionTime`. */
export function completed(status: JobStatus, nowMs: number): JobStatus {
  const conditions = [...withCreatedOldest(status.conditions ?? [])];
  const { completionTime, ...open } = { ...status, conditions, state: stateOfConditions(conditions) };
  if (!isFinished(open)) return open;
  return { ...open, completionTime: completionTime ?? timestamp(nowMs) };
}

/** The recorded end of a job whose terminal condition was removed, since it must not run again. */
export function endOnRecord({ completionTime, state }: JobStatus): 'Succeeded' | 'Failed' | undefined {
  if (completionTime === undefined) return undefined;
  return state === 'Succeeded' || state === 'Failed' ? state : undefined;
}
