/**
 * Ray's job and the submitter of a RayJob that ended first, for example by its deadline, on a cluster that is kept.
 * Ray's job is stopped; the submitter ends with it or is deleted.
 */
import type { JobWarning } from '@muster/common-job-controller';
import type { RayJobSpec } from '@muster/job-api';
import { isCoveredByRules } from './deletion.ts';
import type { ObservedRayJob } from './observed-ray-job.ts';
import { stopProbe } from './ray-job-probes.ts';
import { hasRayJobEnded, type RayJobRecord } from './ray-job-status.ts';

/** Minimum time for the submitter to write the rest of the log once Ray's job is stopped. */
const SUBMITTER_GRACE_MS = 15_000;

/** How long the request to stop is repeated while Ray does not answer. */
const STOP_TIMEOUT_MS = 300_000;

export interface StaleObjects {
  /** The request to stop Ray's job, if it is due. */
  readonly calls: readonly NonNullable<ReturnType<typeof stopProbe>>[];
  readonly deletesSubmitter: boolean;
  readonly warnings: readonly JobWarning[];
  readonly recheckAfterMs?: number;
}

/** @param clusterStays the cluster of the job exists and is not deleted now */
export function staleObjectsOf(observed: ObservedRayJob, record: RayJobRecord, clusterStays: boolean): StaleObjects {
  const { spec, submitter, submitterGraceMs = 0, nowMs, stop } = observed;
  const none: StaleObjects = { calls: [], deletesSubmitter: false, warnings: [] };
  const endMs = Date.parse(record.endTime ?? '');
  if (!clusterStays || Number.isNaN(endMs)) return none;
  // The submission requires the recorded address of the dashboard.
  const mayRun = record.dashboardURL !== undefined && !hasRayJobEnded(record.jobStatus);
  const isOpen = record.jobDeploymentStatus === 'Failed' && mayRun;
  const isUnknown = isOpen && record.jobStatus === '';
  const settledMs = endMs + SUBMITTER_GRACE_MS;
  const graceEndMs = endMs + Math.max(SUBMITTER_GRACE_MS, submitterGraceMs);
  const timeoutMs = endMs + STOP_TIMEOUT_MS;
  const isAnswered = stop?.kind === 'Stopped' || stop?.kind === 'NotFound';
  // A submitter may still submit the job after Ray has answered that it does not exist.
  const mayStop = isOpen && !isAnswered && nowMs < timeoutMs && (!isUnknown || nowMs >= settledMs);
  const call = mayStop ? stopProbe({ ...observed, record }) : undefined;
  const runs = submitter !== undefined && submitter.end === undefined;
  const dues = [
    ...(runs ? [graceEndMs] : []),
    ...(isUnknown ? [settledMs] : []),
    ...(isOpen && !isAnswered ? [timeoutMs] : []),
  ];
  const nextMs = Math.min(...dues.filter((dueMs) => dueMs > nowMs));
  const hasTimedOut = isOpen && nowMs >= timeoutMs && (stop?.kind === 'Unanswered' || !(isUnknown || isAnswered));
  return {
    calls: call === undefined ? [] : [call],
    deletesSubmitter: runs && (isUnknown || nowMs >= graceEndMs),
    warnings: [...(hasTimedOut ? [notStopped(observed, record)] : []), ...unmatched(spec, record)],
    ...(Number.isFinite(nextMs) && { recheckAfterMs: nextMs - nowMs }),
  };
}

function notStopped({ stop }: ObservedRayJob, { jobId, rayClusterName }: RayJobRecord): JobWarning {
  const why = stop?.kind === 'Unanswered' ? `: ${stop.problem}` : '';
  return {
    reason: 'RayJobNotStopped',
    note: `Ray's job ${jobId} may still run on RayCluster ${rayClusterName}, which did not answer the request to stop it${why}. Run: ray job stop ${jobId}`,
  };
}

/** An end without a rule, except for failed jobs, whose clusters may be kept on purpose. */
function unmatched(spec: RayJobSpec, record: RayJobRecord): JobWarning[] {
  const { jobStatus, jobDeploymentStatus, reason, rayClusterName } = record;
  if (spec.deletionStrategy === undefined || jobStatus === 'SUCCEEDED' || jobStatus === 'FAILED') return [];
  if (isCoveredByRules(record, spec)) return [];
  const hasFailed = jobDeploymentStatus === 'Failed';
  // Without the jobStatus of a job that is being stopped: a changed note would be emitted twice.
  const end = hasFailed ? `jobDeploymentStatus Failed, reason ${reason}` : `jobStatus ${jobStatus}`;
  const advice = hasFailed
    ? 'Add a rule with condition.jobDeploymentStatus Failed, or delete it'
    : 'No rule can match this end: delete it';
  const what = spec.clusterSelector === undefined ? `RayCluster ${rayClusterName} is kept` : 'the RayJob is kept';
  return [
    {
      reason: 'NoDeletionRuleMatched',
      note: `spec.deletionStrategy: no rule matches the end of the job (${end}), so ${what}. ${advice}`,
    },
  ];
}
