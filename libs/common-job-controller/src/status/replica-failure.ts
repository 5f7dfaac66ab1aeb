/**
 * The condition ReplicaFailure: what keeps a job from having all that it needs, as Deployments and ReplicaSets tell it.
 *
 * It stands first in the list and is dated before the others; `lastUpdateTime` says when it was written. Upstream's printer column and
 * clients read the last or the newest condition as the state of the job, and this one changes no state.
 */
import type { JobCondition, JobStatus } from '@muster/job-api';
import { isFinished, timeBesideState, timestamp, withoutCondition } from '../model/conditions.ts';
import type { Shortage } from '../model/shortage.ts';

/**
 * `status` with the condition. `as before`: nothing is known to be in the way, but something is still to be written, as it is when
 * the operator was restarted. Undefined takes the condition away, as does the end of the job. The same status when nothing changes.
 */
export function withReplicaFailure(
  status: JobStatus,
  told: Shortage | 'as before' | undefined,
  nowMs: number,
): JobStatus {
  const { conditions = [] } = status;
  const before = conditions.find(({ type }) => type === 'ReplicaFailure');
  const time = timeBesideState(conditions, nowMs);
  const next = isFinished(status) ? undefined : condition(before, told, time, nowMs);
  if (next === before && (before === undefined || conditions[0] === before)) return status;
  const others = withoutCondition(conditions, 'ReplicaFailure');
  return { ...status, conditions: next === undefined ? others : [next, ...others] };
}

function condition(
  before: JobCondition | undefined,
  told: Shortage | 'as before' | undefined,
  lastTransitionTime: string,
  nowMs: number,
): JobCondition | undefined {
  if (told === undefined) return undefined;
  const kept = before?.lastTransitionTime === lastTransitionTime ? before : before && { ...before, lastTransitionTime };
  if (told === 'as before') return kept;
  const { reason, message } = told;
  const now = timestamp(nowMs);
  if (kept?.status !== 'True') {
    return { type: 'ReplicaFailure', status: 'True', reason, message, lastUpdateTime: now, lastTransitionTime };
  }
  const isSame = kept.reason === reason && withoutCounts(kept.message) === withoutCounts(message);
  return isSame ? kept : { ...kept, reason, message, lastUpdateTime: now };
}

/** A quota counts what is used anew in each answer, and each answer names a pod: neither is news. */
function withoutCounts(message = ''): string {
  return message.replaceAll(/\d+/g, '#');
}
