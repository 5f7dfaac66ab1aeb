/** A number of jobs of a number of pods, created at once. */
import type { JobKind } from '../kinds/job-kind.ts';

export interface Load {
  readonly kind: JobKind;
  readonly jobs: number;
  readonly pods: number;
  /** How long a pod runs before it succeeds. Undefined: it keeps running, and the measurement ends when all pods run. */
  readonly trainingMs?: number | undefined;
}

/** Seconds since the first request. */
export interface Times {
  readonly created: number;
  readonly running: number;
  /** Only if the pods end. */
  readonly succeeded?: number;
}

export function podCount({ jobs, pods }: Load): number {
  return jobs * pods;
}

/** The time of the last phase. */
export function completeSeconds({ running, succeeded }: Times): number {
  return succeeded ?? running;
}
