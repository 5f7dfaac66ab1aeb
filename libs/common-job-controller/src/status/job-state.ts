import { isFinished, type JobCondition, type JobStatus, timestamp } from '@muster/job-api';
import { isBesideState, withCreatedOldest } from '../model/conditions.ts';

/** The newest true condition, except ReplicaFailure and Waiting, which are no states. */
function stateOfConditions(conditions: readonly JobCondition[]): string {
  return conditions.findLast((each) => each.status === 'True' && !isBesideState(each))?.type ?? 'Created';
}

export function completed(status: JobStatus, nowMs: number): JobStatus {
  const conditions = [...withCreatedOldest(status.conditions ?? [])];
  const { completionTime, ...open } = { ...status, conditions, state: stateOfConditions(conditions) };
  if (!isFinished(open)) return open;
  return { ...open, completionTime: completionTime ?? timestamp(nowMs) };
}

/** Applies even if the terminal condition was removed: the job must not run again. */
export function endOnRecord({ completionTime, state }: JobStatus): 'Succeeded' | 'Failed' | undefined {
  if (completionTime === undefined) return undefined;
  return state === 'Succeeded' || state === 'Failed' ? state : undefined;
}
