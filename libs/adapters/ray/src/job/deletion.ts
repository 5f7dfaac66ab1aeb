/**
 * What is deleted once a RayJob has ended, and when. The submitter stays with the job, so that its log can be read: it needs no
 * resources any more.
 */
import { RAY_DELETION_POLICIES, type RayDeletionPolicy, type RayJobSpec } from '@muster/job-api';
import type { RayJobRecord } from './ray-job-status.ts';

export interface Deletion {
  /** What is to be gone by now. `Workers`: the pods of all worker groups. `Job`: the RayJob, with all it has. */
  readonly goes: 'Nothing' | 'Workers' | 'Cluster' | 'Job';
  /** In how many milliseconds more is due; undefined when nothing is. */
  readonly nextMs?: number;
}

interface Due {
  readonly policy: RayDeletionPolicy;
  readonly ttlSeconds: number;
}

/**
 * Of several rules that are overdue the most far-reaching counts: an operator that was away catches up with one deletion. A job
 * that does not say is kept.
 *
 * @param record of a job that is Complete or Failed
 */
export function afterTheEnd(record: RayJobRecord, spec: RayJobSpec, nowMs: number): Deletion {
  const endMs = Date.parse(record.endTime ?? '');
  if (Number.isNaN(endMs)) return { goes: 'Nothing' };
  const dues = duesOf(record, spec).map(({ policy, ttlSeconds }) => ({
    policy,
    inMs: endMs + ttlSeconds * 1000 - nowMs,
  }));
  const overdue = dues.filter(({ inMs }) => inMs <= 0).map(({ policy }) => RAY_DELETION_POLICIES.indexOf(policy));
  const pending = dues.filter(({ inMs }) => inMs > 0).map(({ inMs }) => inMs);
  return {
    goes: WORDS[RAY_DELETION_POLICIES[Math.max(0, ...overdue)] ?? 'DeleteNone'],
    ...(pending.length > 0 && { nextMs: Math.min(...pending) }),
  };
}

const WORDS: Record<RayDeletionPolicy, Deletion['goes']> = {
  DeleteNone: 'Nothing',
  DeleteWorkers: 'Workers',
  DeleteCluster: 'Cluster',
  DeleteSelf: 'Job',
};

/** Whether `spec` names something to do, be it nothing, for how the job has ended. */
export function isCoveredByRules(record: RayJobRecord, spec: RayJobSpec): boolean {
  return duesOf(record, spec).length > 0;
}

/** Rules and the older forms exclude one another. */
function duesOf(record: RayJobRecord, spec: RayJobSpec): Due[] {
  const { deletionStrategy, ttlSecondsAfterFinished = 0, shutdownAfterJobFinishes = false } = spec;
  if (deletionStrategy?.deletionRules !== undefined) return rulesOf(record, deletionStrategy.deletionRules);
  if (deletionStrategy !== undefined) {
    const { onSuccess, onFailure } = deletionStrategy;
    const { policy } = (hasFailed(record) ? onFailure : record.jobStatus === 'SUCCEEDED' ? onSuccess : {}) ?? {};
    return policy === undefined ? [] : [{ policy, ttlSeconds: ttlSecondsAfterFinished }];
  }
  if (!shutdownAfterJobFinishes) return [];
  return [{ policy: 'DeleteCluster', ttlSeconds: ttlSecondsAfterFinished }];
}

/** Also where Ray's job has not, or was never submitted: else its cluster would be left over. */
function hasFailed({ jobStatus, jobDeploymentStatus }: RayJobRecord): boolean {
  return jobStatus === 'FAILED' || jobDeploymentStatus === 'Failed';
}

type Rules = NonNullable<NonNullable<RayJobSpec['deletionStrategy']>['deletionRules']>;

function rulesOf({ jobStatus, jobDeploymentStatus }: RayJobRecord, rules: Rules): Due[] {
  return rules
    .filter(({ condition }) =>
      condition.jobStatus === undefined
        ? condition.jobDeploymentStatus === jobDeploymentStatus
        : condition.jobStatus === jobStatus,
    )
    .map(({ policy, condition }) => ({ policy, ttlSeconds: condition.ttlSeconds ?? 0 }));
}
