/** The write of a job's status. */
import type { FailureClass, JobStatus } from '@muster/job-api';
import type { RESTART_CAUSES } from '@muster/metrics';

/** `training_operator_jobs_<name>_total` goes up by one. */
export type JobCounter = 'created' | 'deleted' | 'successful' | 'failed' | 'restarted';

/** How long a start took, in seconds from the job's start, for the histograms. */
export interface StartLatency {
  /** Until all pods were created, or until all replicas ran. */
  readonly stage: 'pods_created' | 'running';
  readonly seconds: number;
}

/** What is counted and observed once a status is written. */
export interface StatusCounts {
  readonly counters: readonly JobCounter[];
  /** The cause of each restart that is counted with it. */
  readonly restartCauses: readonly RestartCause[];
  readonly latencies: readonly StartLatency[];
  /** The class of each failure that is first recorded with it. Default: none. */
  readonly failures?: readonly FailureClass[];
}

export interface StatusWrite extends StatusCounts {
  /** The whole of the engine's record. */
  readonly status: JobStatus;
  /** The form in which it is stored, where that is another. */
  readonly stored?: object;
}

export type RestartCause = keyof typeof RESTART_CAUSES;
