/**
 * The status of a RayJob for the state machine: the fields of `ray.io/v1` with KubeRay's values, and the number of the
 * attempt. Nothing is stored elsewhere, so an operator may be replaced between any two writes.
 */
import type { RayJobStatus } from '@muster/job-api';

/** KubeRay's states. Empty: nothing has been done for the job. */
export const JOB_DEPLOYMENT_STATUSES = [
  '',
  'Initializing',
  'Waiting',
  'Running',
  'Complete',
  'Failed',
  'ValidationFailed',
  'Suspending',
  'Suspended',
  'Retrying',
] as const;

export type JobDeploymentStatus = (typeof JOB_DEPLOYMENT_STATUSES)[number];

/** Ray's states of a job. Empty: Ray has not reported any. */
export const RAY_JOB_STATUSES = ['', 'PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED'] as const;

export type RayJobStatusWord = (typeof RAY_JOB_STATUSES)[number];

/** Reasons of a failed RayJob. */
export type RayJobReason =
  | 'SubmissionFailed'
  | 'DeadlineExceeded'
  | 'PreRunningDeadlineExceeded'
  | 'AppFailed'
  | 'JobDeploymentStatusTransitionGracePeriodExceeded'
  | 'JobStatusCheckTimeoutExceeded';

/** Absent fields are empty, as in upstream. */
export interface RayJobRecord extends Omit<RayJobStatus, 'muster' | 'jobStatus' | 'jobDeploymentStatus'> {
  readonly jobStatus: RayJobStatusWord;
  readonly jobDeploymentStatus: JobDeploymentStatus;
  /** The number of starts. It only grows, also over suspensions, and is part of the names of each attempt. */
  readonly attempt: number;
}

/** Unknown values count as empty, so a job in a state of a later KubeRay starts from the beginning. */
export function rayJobRecord(status: RayJobStatus | undefined): RayJobRecord {
  const { muster: _record, jobStatus, jobDeploymentStatus, ...fields } = status ?? {};
  return {
    ...fields,
    jobStatus: known(RAY_JOB_STATUSES, jobStatus),
    jobDeploymentStatus: known(JOB_DEPLOYMENT_STATUSES, jobDeploymentStatus),
    attempt: status?.attempt ?? status?.failed ?? 0,
  };
}

function known<Value extends string>(values: readonly Value[], value: string | undefined): Value {
  return values.find((one) => one === value) ?? values[0]!;
}

/** Without the engine's own record. */
export function rayJobStatus(record: RayJobRecord): RayJobStatus {
  const { jobStatus, jobDeploymentStatus, ...fields } = record;
  return {
    ...fields,
    ...(jobStatus !== '' && { jobStatus }),
    ...(jobDeploymentStatus !== '' && { jobDeploymentStatus }),
  };
}

export function hasRayJobEnded(status: RayJobStatusWord): boolean {
  return status === 'STOPPED' || status === 'SUCCEEDED' || status === 'FAILED';
}
