/** What goes on record when a RayJob enters a state. */
import { RAY_LABELS } from '../model/ray-labels.ts';
import { timeOf } from './learned-record.ts';
import { rayClusterName } from './ray-job-names.ts';
import type { View } from './observed-ray-job.ts';
import type { JobDeploymentStatus, RayJobReason, RayJobRecord } from './ray-job-status.ts';

export interface Transition {
  readonly to: JobDeploymentStatus;
  readonly reason?: RayJobReason | undefined;
  readonly message?: string | undefined;
}

/** `view.known` as it is in the new state. Of one that is entered from itself, `view.known`. */
export function enteredRecord(view: View, transition: Transition): RayJobRecord {
  const { known } = view;
  const { to, message } = transition;
  const jobDeploymentStatus = to;
  switch (to) {
    case 'Initializing':
      return startedRecord(view);
    case 'Running':
      return { ...known, jobDeploymentStatus, ...(isGiven(view) && { jobId: view.spec.jobId! }) };
    case 'Complete':
      return {
        ...known,
        jobDeploymentStatus,
        endTime: timeOf(view.nowMs),
        succeeded: (known.succeeded ?? 0) + (known.jobStatus === 'SUCCEEDED' ? 1 : 0),
        failed: known.failed ?? 0,
      };
    case 'Failed':
      return failedRecord(view, transition);
    case '':
    case 'Suspended':
      return clearedRecord(known, to);
    case 'Waiting':
    case 'Suspending':
    case 'Retrying':
    case 'ValidationFailed':
      return { ...known, jobDeploymentStatus, ...(message !== undefined && { message }) };
  }
}

function isGiven({ spec }: View): boolean {
  return spec.jobId !== undefined && spec.jobId !== '';
}

/** Each start is a try of its own: other names, its own deadlines. */
function startedRecord(view: View): RayJobRecord {
  const { name, uid, spec, nowMs } = view;
  const attempt = view.known.attempt + 1;
  const own = { name, uid, attempt };
  const ownName = rayClusterName(own);
  // Where the manifest gives no id, the job has its cluster's name in Ray.
  const jobId = isGiven(view) ? spec.jobId! : ownName;
  return {
    ...clearedRecord(view.known, 'Initializing'),
    ...(spec.submissionMode !== 'InteractiveMode' && { jobId }),
    rayClusterName: spec.clusterSelector?.[RAY_LABELS.cluster] ?? ownName,
    startTime: timeOf(nowMs),
    attempt,
  };
}

/** Without what a former try has left; how often the job has ended stays. */
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

/** Trying again would take as long, or come to the same. */
const FINAL: readonly (RayJobReason | undefined)[] = ['DeadlineExceeded', 'JobStatusCheckTimeoutExceeded'];

/** A failure after which the job may be tried once more leads on to that at once. */
function failedRecord({ known, spec, nowMs }: View, { reason, message }: Transition): RayJobRecord {
  const failed = (known.failed ?? 0) + 1;
  const isRetried = failed <= (spec.backoffLimit ?? 0) && !FINAL.includes(reason);
  return {
    ...known,
    // Ray's last word on an application that is lost may have been that it runs.
    ...(reason === 'AppFailed' && { jobStatus: 'FAILED' as const }),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && message !== '' && { message }),
    succeeded: known.succeeded ?? 0,
    failed,
    jobDeploymentStatus: isRetried ? 'Retrying' : 'Failed',
    ...(!isRetried && { endTime: timeOf(nowMs) }),
  };
}
