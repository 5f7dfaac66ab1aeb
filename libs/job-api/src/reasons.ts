/**
 * The reasons that stand in conditions and events, each with the sentence "when" that the reference pages print.
 *
 * Most condition reasons are the kind followed by one of {@link REASON_SUFFIXES} (`PyTorchJobRunning`), as Kubeflow
 * writes them. Reasons are names to match on: a new meaning gets a new reason, an old one is never reused.
 */

/** Reasons that stand behind the kind's name, both in conditions and in the event that goes with them. */
export const REASON_SUFFIXES = {
  Created: 'When the operator first sees the job.',
  Running: 'When the replicas that decide the outcome run.',
  Restarting: 'When a replica failed in a way that its restart policy retries.',
  Suspended: 'When the job was stopped by `spec.runPolicy.suspend`; also on Running, which becomes False.',
  Resumed: 'When a suspended job may go on; stands on Suspended, which becomes False.',
  Succeeded: 'When the job ended well.',
  Failed: 'When the job ended badly: a replica failed for good, or a limit of the run policy was reached.',
} as const;

export type ReasonSuffix = keyof typeof REASON_SUFFIXES;

/** The reason of `kind` with that suffix: `PyTorchJob` and `Running` make `PyTorchJobRunning`. */
export function reasonOf(kind: string, suffix: ReasonSuffix): string {
  return `${kind}${suffix}`;
}

/** Reasons without the kind's name. */
export const REASONS = {
  InvalidSpec:
    'When the spec cannot be run and admission could not see it. No pod was made, so a corrected spec takes the ' +
    'Failed condition back.',
} as const;

/** The one reason with which Failed is not final. */
export const INVALID_SPEC = 'InvalidSpec' satisfies keyof typeof REASONS;
