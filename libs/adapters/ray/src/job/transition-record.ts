/** The record of a RayJob that enters a state. */
import { RAY_LABELS } from '../model/ray-labels.ts';
import { timeOf } from '../model/time-of.ts';
import { rayClusterName } from './ray-job-names.ts';
import type { View } from './observed-ray-job.ts';
import type { JobDeploymentStatus, RayJobReason, RayJobRecord } from './ray-job-status.ts';

/** `view.known`, changed for the state `to`. */
export function enteredRecord(view: View, to: JobDeploymentStatus, message: string | undefined): RayJobRecord {
  const { known, spec, nowMs } = view;
  const entered = { ...known, jobDeploymentStatus: to };
  switch (to) {
    case 'Initializing':
      return startedRecord(view);
    case 'Running':
      return { ...entered, ...(isGiven(spec.jobId) && { jobId: spec.jobId }) };
    case 'Complete': {
      const succeeded = (known.succeeded ?? 0) + (known.jobStatus === 'SUCCEEDED' ? 1 : 0);
      return { ...entered, succeeded, failed: known.failed ?? 0, endTime: timeOf(nowMs) };
    }
    case 'Failed':
      return { ...entered, endTime: timeOf(nowMs) };
    case '':
    case 'Suspended':
      return clearedRecord(known, to);
    case 'Waiting':
    case 'Suspending':
    case 'Retrying':
    case 'ValidationFailed':
      return { ...entered, ...(isGiven(message) && { message }) };
  }
}

/** Counts the failure; the table decides about another attempt. */
export function failedAttempt(known: RayJobRecord, reason: RayJobReason, message: string | undefined): RayJobRecord {
  return {
    ...known,
    // Ray's last answer about a lost application may have been RUNNING.
    ...(reason === 'AppFailed' && { jobStatus: 'FAILED' as const }),
    reason,
    ...(isGiven(message) && { message }),
    succeeded: known.succeeded ?? 0,
    failed: (known.failed ?? 0) + 1,
  };
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

/** Each attempt has its own names and deadlines. */
function startedRecord({ name, uid, spec, nowMs, known }: View): RayJobRecord {
  const attempt = known.attempt + 1;
  const ownName = rayClusterName({ name, uid, attempt });
  // The default job id in Ray is the cluster's name.
  const jobId = isGiven(spec.jobId) ? spec.jobId : ownName;
  return {
    ...clearedRecord(known, 'Initializing'),
    ...(spec.submissionMode !== 'InteractiveMode' && { jobId }),
    rayClusterName: spec.clusterSelector?.[RAY_LABELS.cluster] ?? ownName,
    startTime: timeOf(nowMs),
    attempt,
  };
}

/** Drops the previous attempt's values, except for the counts. */
function clearedRecord(known: RayJobRecord, to: JobDeploymentStatus): RayJobRecord {
  const { attempt, startTime, succeeded, failed } = known;
  return {
    jobDeploymentStatus: to,
    jobStatus: '',
    attempt,
    ...(startTime !== undefined && { startTime }),
    ...(succeeded !== undefined && { succeeded }),
    ...(failed !== undefined && { failed }),
  };
}
