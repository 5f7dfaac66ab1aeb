import type { ReplicaFailureReason } from '@muster/job-api';

/** Why a job lacks objects. */
export interface Shortage {
  readonly reason: ReplicaFailureReason;
  /** What happened, who is at fault, and what happens next. */
  readonly message: string;
}
