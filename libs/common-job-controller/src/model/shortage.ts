import type { ReplicaFailureReason } from '@muster/job-api';

/** Why objects of a job are missing. */
export interface Shortage {
  readonly reason: ReplicaFailureReason;
  /** What happened, the cause, and what happens next. */
  readonly message: string;
}
