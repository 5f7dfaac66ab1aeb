/** The due times of a RayJob, when its state changes without an event, in milliseconds since the epoch. */
import { isQueued } from './cluster-queue.ts';
import { hasFaultTolerance } from './fault-tolerant-cluster.ts';
import type { View } from './observed-ray-job.ts';
import { hasRayJobEnded } from './ray-job-status.ts';

/** How long the submitter may write the log after the end of Ray's job. */
const LOG_GRACE_MS = 300_000;

/** How long Ray may be silent after the end of the submitter. */
export const SUBMITTER_GRACE_MS = 30_000;

/** How long the dashboard may fail to report the status of the job. */
const STATUS_CHECK_TIMEOUT_MS = 300_000;

/** The same if the head can be recreated: Kubernetes evicts the pods of a lost node only after five minutes. */
export const FAULT_TOLERANT_TIMEOUT_MS = 1_800_000;

/** No deadline counts while the cluster is in a queue. */
export function activeDeadlineMs({ known, spec, cluster }: View): number | undefined {
  return isQueued(cluster) ? undefined : after(known.startTime, seconds(spec.activeDeadlineSeconds));
}

export function preRunningDeadlineMs({ known, spec, cluster }: View): number | undefined {
  return isQueued(cluster) ? undefined : after(known.startTime, seconds(spec.preRunningDeadlineSeconds));
}

export function logsDueMs({ known }: View): number | undefined {
  return hasRayJobEnded(known.jobStatus) ? after(known.rayJobInfo?.endTime, LOG_GRACE_MS) : undefined;
}

export function statusCheckDueMs({ known, cluster }: View): number | undefined {
  const timeoutMs = hasFaultTolerance(cluster) ? FAULT_TOLERANT_TIMEOUT_MS : STATUS_CHECK_TIMEOUT_MS;
  return after(known.jobStatusCheckFailureStartTime, timeoutMs);
}

function unaskableDueMs({ answer, unaskableMs, nowMs }: View): number | undefined {
  return answer === undefined && unaskableMs !== undefined ? nowMs + SUBMITTER_GRACE_MS - unaskableMs : undefined;
}

/** Those of the recorded state. */
export function dueTimes(view: View): number[] {
  const { jobDeploymentStatus } = view.known;
  const isPreRunning = jobDeploymentStatus === 'Initializing' || jobDeploymentStatus === 'Waiting';
  const isRunning = jobDeploymentStatus === 'Running';
  const dues = [
    ...(isPreRunning || isRunning ? [activeDeadlineMs(view)] : []),
    ...(isPreRunning ? [preRunningDeadlineMs(view)] : []),
    ...(isRunning ? [logsDueMs(view), statusCheckDueMs(view), unaskableDueMs(view)] : []),
  ];
  return dues.filter((due) => due !== undefined);
}

function seconds(count: number | undefined): number | undefined {
  return count === undefined ? undefined : count * 1000;
}

function after(time: string | undefined, ms: number | undefined): number | undefined {
  const moment = Date.parse(time ?? '');
  return Number.isNaN(moment) || ms === undefined ? undefined : moment + ms;
}
