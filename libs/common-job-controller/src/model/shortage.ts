import type { ReplicaFailureReason } from '@muster/job-api';

export interface Shortage {
  readonly reason: ReplicaFailureReason;
  /** What happened, the cause, and what happens next. */
  readonly message: string;
}
