/**
 * How long the operator has observed states, by its own monotonic clock: timestamps on objects come from clocks that may differ by minutes.
 * After a start or a change of leader, ages start from zero.
 */
import type { JobProgress, KubeObject } from '@muster/job-api';

/** In milliseconds, by state. */
export type StateAges = ReadonlyMap<string, number>;

export function ageOf(ages: StateAges, state: string): number {
  return ages.get(state) ?? 0;
}

export function deletionOf({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return `deletion of ${metadata?.uid}`;
}

/** The state of a node that is not ready. If it recovers and fails again, `sinceMs` differs. */
export function lossOf(node: string, sinceMs: number): string {
  return `loss of ${node} at ${sinceMs}`;
}

export function finishOf({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return `finish of ${metadata?.uid}`;
}

/** The state of a job whose progress was not written again since `lastProgressTime`. */
export function standstillOf({ metadata }: Pick<KubeObject, 'metadata'>, { lastProgressTime }: JobProgress): string {
  return `no progress of ${metadata?.uid} since ${lastProgressTime}`;
}

/** The state of a waiting Workload without a reason from Kueue. */
export function silenceOf({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return `silence of ${metadata?.uid}`;
}
