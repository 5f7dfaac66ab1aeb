/**
 * A job's pods by replica. Kubernetes says what a pod's phase is; this file says what that means for the replica.
 */
import { LABELS, type ContainerStatus, type Pod } from '@muster/job-api';
import type { Replica } from './adapter.ts';

/**
 * What a replica is doing. `terminating`: its pod is being deleted and still holds the name; how it ends under the
 * deletion is nobody's failure. `succeeded` is said of a pod that has ended well, also while it is being deleted, and of
 * one that is gone but on record as having ended well.
 */
export type ReplicaState = 'missing' | 'pending' | 'running' | 'succeeded' | 'failed' | 'terminating';

export interface ReplicaPod extends Replica {
  readonly state: ReplicaState;
  /** There is none in state `missing`, and in state `succeeded` there may be none any more. */
  readonly pod?: Pod;
}

/** By the pod's phase, but for the container `main`: when that has ended for good, sidecars do not keep the replica up. */
export function stateOf(pod: Pod, main: string): Exclude<ReplicaState, 'missing'> {
  if (pod.status?.phase === 'Succeeded') return 'succeeded';
  const ended = endOfMain(pod, main);
  if (ended === 0) return 'succeeded';
  if (pod.metadata?.deletionTimestamp !== undefined) return 'terminating';
  if (ended !== undefined) return 'failed';
  switch (pod.status?.phase) {
    case 'Failed':
      return 'failed';
    case 'Running':
      return 'running';
    default:
      return 'pending';
  }
}

/**
 * The exit code of the container `main` in a pod that runs on without it. Undefined while the container runs or is to be
 * restarted by the kubelet.
 */
function endOfMain(pod: Pod, main: string): number | undefined {
  if (pod.status?.phase !== 'Running') return undefined;
  const exitCode = exitCodeOf(pod, main);
  const policy = pod.spec?.restartPolicy;
  if (exitCode === undefined || policy === undefined || policy === 'Always') return undefined;
  return exitCode === 0 || policy === 'Never' ? exitCode : undefined;
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

/** Reasons of failed pods with which a kubelet or a controller says that it ended them, also without the condition. */
const DISRUPTION_REASONS = new Set(['Evicted', 'Preempting', 'NodeLost', 'NodeShutdown', 'Terminated', 'Shutdown']);

/** Whether the cluster ended the pod (eviction, preemption, node loss or shutdown), and not the program in it. */
export function isDisrupted({ status }: Pod): boolean {
  const hasCondition = status?.conditions?.some(
    (condition) => condition.type === 'DisruptionTarget' && condition.status === 'True',
  );
  return hasCondition === true || DISRUPTION_REASONS.has(status?.reason ?? '');
}

/** How often the kubelet has restarted the framework's container and the init containers. Sidecars do not count. */
export function containerRestarts(pod: Pod, main: string): number {
  const own = pod.status?.containerStatuses?.filter(({ name }) => name === main) ?? [];
  const init = pod.status?.initContainerStatuses?.filter((status) => !isSidecar(pod, status)) ?? [];
  return [...own, ...init].reduce((sum, { restartCount }) => sum + restartCount, 0);
}

function isSidecar(pod: Pod, { name }: ContainerStatus): boolean {
  return pod.spec?.initContainers?.some((each) => each.name === name && each.restartPolicy === 'Always') ?? false;
}
