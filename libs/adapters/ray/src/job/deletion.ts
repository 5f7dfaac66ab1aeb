/** What is deleted after a RayJob's end. The submitter is kept with the job for its log: it uses no resources. */
import { RAY_DELETION_POLICIES, type RayDeletionPolicy, type RayJobSpec } from '@muster/job-api';
import type { RayJobRecord } from './ray-job-status.ts';

export interface Deletion {
  /** Deleted by now. `Workers`: the pods of all worker groups. `Job`: the RayJob with all its objects. */
  readonly goes: 'Nothing' | 'Workers' | 'Cluster' | 'Job';
  /** Milliseconds until more is due; undefined if nothing is. */
  readonly nextMs?: number;
}

interface Due {
  readonly policy: RayDeletionPolicy;
  readonly ttlSeconds: number;
}

/**
 * Of several overdue rules the one that deletes most counts, so that an operator catches up with one deletion. Without
 * rules a job is kept.
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
    goes: GOES_BY_POLICY[RAY_DELETION_POLICIES[Math.max(0, ...overdue)] ?? 'DeleteNone'],
    ...(pending.length > 0 && { nextMs: Math.min(...pending) }),
  };
}

const GOES_BY_POLICY: Record<RayDeletionPolicy, Deletion['goes']> = {
  DeleteNone: 'Nothing',
  DeleteWorkers: 'Workers',
  DeleteCluster: 'Cluster',
  DeleteSelf: 'Job',
};

/** `spec` has a rule for this outcome, perhaps to delete nothing. */
export function isCoveredByRules(record: RayJobRecord, spec: RayJobSpec): boolean {
  return duesOf(record, spec).length > 0;
}

/** Rules and the older fields exclude one another. */
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

/** Also if Ray's job did not fail or was never submitted: otherwise its cluster would be left. */
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
