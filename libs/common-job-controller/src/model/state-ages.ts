/**
 * For how long the operator has seen the states of a job and its objects, by its own monotonic clock. The times on the objects are by
 * the clocks of others, which may differ from the operator's by minutes. An operator that starts, or takes over, counts from then.
 */
import type { KubeObject } from '@muster/job-api';

/** In milliseconds, by state. */
export type StateAges = ReadonlyMap<string, number>;

/** What has never been seen before is new. */
export function ageOf(ages: StateAges, state: string): number {
  return ages.get(state) ?? 0;
}

export function deletionOf({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return `deletion of ${metadata?.uid}`;
}

/** That a node is not ready. One that becomes ready in between is lost anew. */
export function lossOf(node: string, sinceMs: number): string {
  return `loss of ${node} at ${sinceMs}`;
}

/** That Kueue has finished a Workload. */
export function finishOf({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return `finish of ${metadata?.uid}`;
}

/** That a Workload waits and Kueue says no reason. */
export function silenceOf({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return `silence of ${metadata?.uid}`;
}
