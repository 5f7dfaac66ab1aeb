/**
 * The condition ProgressKnown: False while no replica says how far the job is, so that nobody takes that for a job that hangs. It changes no
 * state and is never True, so it stands before the conditions that clients read as the state of the job.
 */
import type { JobStatus } from '@muster/job-api';
import { isFinished, timestamp, withoutCondition } from '../model/conditions.ts';

const TYPE = 'ProgressKnown';

export function hasUnknownProgress(status: JobStatus): boolean {
  return unknownBefore(status) !== undefined;
}

/** The message that is on record. */
export function unknownBefore({ conditions = [] }: JobStatus): string | undefined {
  return conditions.find(({ type }) => type === TYPE)?.message;
}

/** `status` with the condition. Undefined takes it away, as does the end of the job. The first message stays. */
export function withUnknownProgress(status: JobStatus, message: string | undefined, nowMs: number): JobStatus {
  const { conditions = [] } = status;
  const isUnknown = message !== undefined && !isFinished(status);
  if (isUnknown === hasUnknownProgress(status)) return status;
  const others = withoutCondition(conditions, TYPE);
  if (!isUnknown) return { ...status, conditions: others };
  const now = timestamp(nowMs);
  const condition = { type: TYPE, status: 'False', reason: 'ProgressUnknown', message } as const;
  return { ...status, conditions: [{ ...condition, lastUpdateTime: now, lastTransitionTime: now }, ...others] };
}
