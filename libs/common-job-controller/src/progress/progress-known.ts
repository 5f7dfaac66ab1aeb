/** The condition ProgressKnown is False while no replica reports progress. It is never True and no state, so it precedes the states. */
import { isFinished, type JobStatus, timestamp } from '@muster/job-api';
import { withoutCondition } from '../model/conditions.ts';

const TYPE = 'ProgressKnown';

export function hasUnknownProgress(status: JobStatus): boolean {
  return unknownBefore(status) !== undefined;
}

export function unknownBefore({ conditions = [] }: JobStatus): string | undefined {
  return conditions.find(({ type }) => type === TYPE)?.message;
}

/** Adds or keeps the condition with its first message. `undefined`, or the end of the job, removes it. */
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
