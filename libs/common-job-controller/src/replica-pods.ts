/**
 * A job's pods by replica. Kubernetes says what a pod's phase is; this file says what that means for the replica.
 */
import { LABELS, type Pod } from '@muster/job-api';
import type { Replica } from './adapter.ts';

/**
 * What a replica is doing. `terminating`: its pod is being deleted and still holds the name; how it ends under the
 * deletion is nobody's failure. `succeeded` is said of a pod that has ended well, also while it is being deleted.
 */
export type ReplicaState = 'missing' | 'pending' | 'running' | 'succeeded' | 'failed' | 'terminating';

export interface ReplicaPod extends Replica {
  readonly state: ReplicaState;
  /** There is none in state `missing`. */
  readonly pod?: Pod;
}

export function stateOf(pod: Pod): Exclude<ReplicaState, 'missing'> {
  if (pod.status?.phase === 'Succeeded') return 'succeeded';
  if (pod.metadata?.deletionTimestamp !== undefined) return 'terminating';
  switch (pod.status?.phase) {
    case 'Failed':
      return 'failed';
    case 'Running':
      return 'running';
    default:
      return 'pending';
  }
}

/** The index that the pod's label says, or -1 when it says none. */
export function indexOf(pod: Pod): number {
  const label = pod.metadata?.labels?.[LABELS.replicaIndex] ?? '';
  return /^\d+$/.test(label) ? Number(label) : -1;
}

export function roleLabelOf(pod: Pod): string | undefined {
  return pod.metadata?.labels?.[LABELS.replicaType];
}

export function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/** How the container `name` ended. Undefined when it did not, or when nobody saw it (eviction, a lost node). */
export function exitCodeOf(pod: Pod, name: string): number | undefined {
  return pod.status?.containerStatuses?.find((status) => status.name === name)?.state?.terminated?.exitCode;
}
