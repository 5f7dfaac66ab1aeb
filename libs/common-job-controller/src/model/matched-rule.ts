import type { FailurePolicyRule } from '@muster/job-api';

/** A rule of a job's failure policy that matches a failure. */
export interface MatchedRule extends FailurePolicyRule {
  /** Its name, or its number from 1. */
  readonly name: string;
}
