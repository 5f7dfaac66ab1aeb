/**
 * The status of a RayJob as the state machine reads and writes it: the fields of `ray.io/v1`, with KubeRay's words, plus the
 * number of the try. Nothing is kept anywhere else, so an operator may be replaced between any two writes.
 */
import type { RayJobStatus } from '@muster/job-api';

/** How far a RayJob is. Empty: nothing has been done for it. */
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

/** What Ray says of a job. Empty: Ray has never said anything of it. */
export const RAY_JOB_STATUSES = ['', 'PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED'] as const;

export type RayJobStatusWord = (typeof RAY_JOB_STATUSES)[number];

/** Why a RayJob has failed. */
export type RayJobReason =
  | 'SubmissionFailed'
  | 'DeadlineExceeded'
  | 'PreRunningDeadlineExceeded'
  | 'AppFailed'
  | 'JobDeploymentStatusTransitionGracePeriodExceeded'
  | 'JobStatusCheckTimeoutExceeded';

/** Absent fields are empty, as upstream leaves them out. */
export interface RayJobRecord extends Omit<RayJobStatus, 'muster' | 'jobStatus' | 'jobDeploymentStatus'> {
  readonly jobStatus: RayJobStatusWord;
  readonly jobDeploymentStatus: JobDeploymentStatus;
  /** How often the job has been started. It only grows, also over suspensions, and names what each try makes. */
  readonly attempt: number;
}

/**
 * What is on record of a job. Words that Muster does not know count as none, so a job in a state that a later KubeRay has added
 * starts from the beginning.
 */
export function rayJobRecord(status: RayJobStatus | undefined): RayJobRecord {
  const { muster: _record, jobStatus, jobDeploymentStatus, ...fields } = status ?? {};
  return {
    ...fields,
    jobStatus: known(RAY_JOB_STATUSES, jobStatus),
    jobDeploymentStatus: known(JOB_DEPLOYMENT_STATUSES, jobDeploymentStatus),
    attempt: status?.attempt ?? status?.failed ?? 0,
  };
}

function known<Word extends string>(words: readonly Word[], word: string | undefined): Word {
  return words.find((one) => one === word) ?? words[0]!;
}

/** The status to be stored, without the engine's own record. */
export function rayJobStatus(record: RayJobRecord): RayJobStatus {
  const { jobStatus, jobDeploymentStatus, ...fields } = record;
  return {
    ...fields,
    ...(jobStatus !== '' && { jobStatus }),
    ...(jobDeploymentStatus !== '' && { jobDeploymentStatus }),
  };
}

/** Whether Ray will say nothing else of the job. */
export function hasRayJobEnded(status: RayJobStatusWord): boolean {
  return status === 'STOPPED' || status === 'SUCCEEDED' || status === 'FAILED';
}
