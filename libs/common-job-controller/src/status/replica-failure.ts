/**
 * The condition ReplicaFailure, as in Deployments and ReplicaSets. It is not a state, so it is first in the list and dated before the others:
 * upstream's printer column and clients take the last or newest condition for the job's state. `lastUpdateTime` is the time of the write.
 */
import { isFinished, type JobCondition, type JobStatus, timestamp } from '@muster/job-api';
import { timeBesideState, withoutCondition } from '../model/conditions.ts';
import type { Shortage } from '../model/shortage.ts';

type Reported = Shortage | 'as before' | undefined;

/** `as before` keeps the condition while writes are pending, e.g. after an operator restart. */
export function withReplicaFailure(status: JobStatus, shortage: Reported, nowMs: number): JobStatus {
  const { conditions = [] } = status;
  const before = conditions.find(({ type }) => type === 'ReplicaFailure');
  const time = timeBesideState(conditions, nowMs);
  const next = isFinished(status) ? undefined : condition(before, shortage, time, nowMs);
  if (next === before && (before === undefined || conditions[0] === before)) return status;
  const others = withoutCondition(conditions, 'ReplicaFailure');
  return { ...status, conditions: next === undefined ? others : [next, ...others] };
}

function condition(
  before: JobCondition | undefined,
  shortage: Reported,
  lastTransitionTime: string,
  nowMs: number,
): JobCondition | undefined {
  if (shortage === undefined) return undefined;
  const kept = before?.lastTransitionTime === lastTransitionTime ? before : before && { ...before, lastTransitionTime };
  if (shortage === 'as before') return kept;
  const { reason, message } = shortage;
  const now = timestamp(nowMs);
  if (kept?.status !== 'True') {
    return { type: 'ReplicaFailure', status: 'True', reason, message, lastUpdateTime: now, lastTransitionTime };
  }
  const isSame = kept.reason === reason && withoutCounts(kept.message) === withoutCounts(message);
  return isSame ? kept : { ...kept, reason, message, lastUpdateTime: now };
}

/** Each answer of a quota has other numbers, which is no change. */
function withoutCounts(message = ''): string {
  return message.replaceAll(/\d+/g, '#');
}
