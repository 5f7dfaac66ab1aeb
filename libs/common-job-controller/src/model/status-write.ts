import type { FailureClass, JobStatus } from '@muster/job-api';
import type { RESTART_CAUSES } from '@muster/metrics';

export type JobCounter = 'created' | 'deleted' | 'successful' | 'failed' | 'restarted';

/** In seconds since the job's start. */
export interface StartLatency {
  /** Ends when all pods are created, or when all replicas run. */
  readonly stage: 'pods_created' | 'running';
  readonly seconds: number;
}

export interface StatusCounts {
  readonly counters: readonly JobCounter[];
  readonly restartCauses: readonly RestartCause[];
  readonly latencies: readonly StartLatency[];
  /** The class of each failure that the write records first. Default: none. */
  readonly failures?: readonly FailureClass[];
}

export interface StatusWrite extends StatusCounts {
  readonly status: JobStatus;
  /** The stored format, if it differs. */
  readonly stored?: object;
}

export type RestartCause = keyof typeof RESTART_CAUSES;
