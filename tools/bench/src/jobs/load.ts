/** So many jobs of so many pods, at once. */
import type { JobKind } from '../kinds/job-kind.ts';

export interface Load {
  readonly kind: JobKind;
  readonly jobs: number;
  readonly pods: number;
  /** How long a pod runs before it ends well. Undefined: it runs on, and the measurement ends when all run. */
  readonly trainingMs?: number | undefined;
}

/** Seconds since the first request. */
export interface Times {
  readonly created: number;
  readonly running: number;
  /** Where the pods end. */
  readonly succeeded?: number;
}

export function podCount({ jobs, pods }: Load): number {
  return jobs * pods;
}

/** The last of its moments. */
export function completeSeconds({ running, succeeded }: Times): number {
  return succeeded ?? running;
}
