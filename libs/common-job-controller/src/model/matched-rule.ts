import type { FailurePolicyRule } from '@muster/job-api';

export interface MatchedRule extends FailurePolicyRule {
  /** The rule's name, or its number from 1. */
  readonly name: string;
}
