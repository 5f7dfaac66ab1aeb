import type { FailureClass, JobStatus } from '@muster/job-api';
import type { RESTART_CAUSES } from '@muster/metrics';

/** Increments `training_operator_jobs_<name>_total`. */
export type JobCounter = 'created' | 'deleted' | 'successful' | 'failed' | 'restarted';

/** Duration of a start for the histograms, in seconds since the job's start. */
export interface StartLatency {
  /** Ends when all pods are created, or when all replicas run. */
  readonly stage: 'pods_created' | 'running';
  readonly seconds: number;
}

/** Metrics that are updated after the status write. */
export interface StatusCounts {
  readonly counters: readonly JobCounter[];
  /** The cause of each restart that the write counts. */
  readonly restartCauses: readonly RestartCause[];
  readonly latencies: readonly StartLatency[];
  /** The class of each failure that the write records first. Default: none. */
  readonly failures?: readonly FailureClass[];
}

export interface StatusWrite extends StatusCounts {
  /** The whole internal status. */
  readonly status: JobStatus;
  /** The stored format, if it differs. */
  readonly stored?: object;
}

export type RestartCause = keyof typeof RESTART_CAUSES;
