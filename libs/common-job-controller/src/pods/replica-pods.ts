/**
 * A job's pods by replica. Kubernetes says what a pod's phase is; this file says what that means for the replica.
 */
import type { ContainerStatus, Pod } from '@muster/job-api';
import { momentOf } from '../model/moment-of.ts';
import { hasRestarter, RESTARTER } from './in-place.ts';
import { endOf } from './pod-end.ts';
import type { ReplicaState } from '../model/replica-pod.ts';

/** Of a pod's status, since Kubernetes 1.34. */
export interface ObservedGeneration {
  readonly observedGeneration?: number;
}

/** By the pod's phase, but for the container `main`: when that has ended for good, sidecars do not keep the replica up. */
export function stateOf(pod: Pod, main: string): Exclude<ReplicaState, 'missing'> {
  const isLeaving = pod.metadata?.deletionTimestamp !== undefined;
  const ended = endOfMain(pod, main);
  if ((pod.status?.phase === 'Succeeded' || ended === 0) && !endedUnderDeletion(pod, main)) return 'succeeded';
  if (isLeaving) return 'terminating';
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

/** How the container `main` ended, while the pod runs on or has failed. Undefined while it runs or the kubelet is to restart it. */
export function mainEndOf(pod: Pod, main: string) {
  const own = pod.status?.containerStatuses?.find(({ name }) => name === main);
  return endOfMain(pod, main) === undefined ? undefined : own?.state?.terminated;
}

/**
 * The exit code of the container `main` in a pod that runs on without it, or that failed because of another container.
 * Undefined while the container runs or is to be restarted by the kubelet, and in a pod that was ended as a whole.
 */
function endOfMain(pod: Pod, main: string): number | undefined {
  const exitCode = exitCodeOf(pod, main);
  const policy = pod.spec?.restartPolicy;
  if (pod.status?.phase === 'Failed') return wasEndedAsWhole(pod) ? undefined : exitCode;
  if (pod.status?.phase !== 'Running' || policy === undefined || policy === 'Always') return undefined;
  return exitCode === 0 || policy === 'Never' ? exitCode : undefined;
}

/** Whether the kubelet or the cluster ended the pod: then its containers were told to end, and their codes say little. */
function wasEndedAsWhole(pod: Pod): boolean {
  return pod.status?.reason !== undefined || endOf(pod) !== 'ProgramFailed';
}

/**
 * Whether the pod ended after its deletion was asked for; where nobody knows when, it did not. A success that the operator has seen before
 * the deletion is on record, and does not depend on this.
 */
export function endedUnderDeletion(pod: Pod, main: string): boolean {
  const { metadata, status } = pod;
  const { deletionTimestamp, deletionGracePeriodSeconds: graceSeconds = 0 } = metadata ?? {};
  const goesMs = momentOf(deletionTimestamp);
  const own = status?.containerStatuses?.find(({ name }) => name === main);
  const finishedMs = momentOf(own?.state?.terminated?.finishedAt);
  if (goesMs === undefined || finishedMs === undefined) return false;
  const hasSeen = hasSeenDeletion(pod);
  // It has reported the end before it could tell the program to end: no clock says more.
  if (hasSeen === false) return false;
  const endMs = finishedMs + clockLagMs(pod);
  // Whole seconds, all of them.
  if (graceSeconds > 0) return endMs >= goesMs - graceSeconds * 1000;
  // A pod that has ended before gets no time of grace. Others lose theirs when their kubelet lets go of them, the moment before they are gone,
  // and then it no longer says when their deletion was asked for; but that kubelet has seen it by then.
  return hasSeen === true || endMs > goesMs;
}

/** The deletion is a generation of its own. Undefined where the kubelet does not say which one its status is of, as before 1.34. */
function hasSeenDeletion({ metadata, status }: Pod & { readonly status?: ObservedGeneration }): boolean | undefined {
  const { generation } = metadata ?? {};
  const { observedGeneration } = status ?? {};
  if (generation === undefined || observedGeneration === undefined) return undefined;
  return observedGeneration >= generation;
}

/** Within so much a kubelet accepts a pod that was bound to its node. */
const ACCEPTED_WITHIN_MS = 2000;

/**
 * By how much the node's clock is behind the API server's at most. It is behind where its kubelet has accepted the pod before the API server
 * bound it to the node. That it is ahead cannot be told from a kubelet that accepted the pod late: then the replica is recreated rather
 * than counted as succeeded.
 */
function clockLagMs({ metadata, status }: Pod): number {
  const bound = status?.conditions?.find((one) => one.type === 'PodScheduled' && one.status === 'True');
  const acceptedMs = momentOf(status?.startTime);
  const boundMs = Math.max(momentOf(metadata?.creationTimestamp) ?? 0, momentOf(bound?.lastTransitionTime) ?? 0);
  return acceptedMs === undefined || acceptedMs >= boundMs ? 0 : boundMs - acceptedMs + ACCEPTED_WITHIN_MS;
}

export function isReady(pod: Pod | undefined): boolean {
  return pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/** How the container `name` ended. Undefined when it did not, or when nobody saw it (eviction, a lost node). */
export function exitCodeOf(pod: Pod, name: string): number | undefined {
  return pod.status?.containerStatuses?.find((status) => status.name === name)?.state?.terminated?.exitCode;
}

/**
 * Whether none of its containers runs. A kubelet reports that a moment before it reports the pod's end; sidecars among the
 * init containers are stopped in between, by the kubelet itself; so does a restarter end when it is told that the program has.
 */
export function haveContainersEnded({ status }: Pod): boolean {
  const containers = status?.containerStatuses?.filter(({ name }) => name !== RESTARTER) ?? [];
  return containers.length > 0 && containers.every(({ state }) => state?.terminated !== undefined);
}

/** How often the kubelet has restarted the framework's container and the init containers. Sidecars do not count. */
export function containerRestarts(pod: Pod, main: string): number {
  if (hasRestarter(pod)) return 0;
  const own = pod.status?.containerStatuses?.filter(({ name }) => name === main) ?? [];
  const init = pod.status?.initContainerStatuses?.filter((status) => !isSidecar(pod, status)) ?? [];
  return [...own, ...init].reduce((sum, { restartCount }) => sum + restartCount, 0);
}

function isSidecar(pod: Pod, { name }: ContainerStatus): boolean {
  return pod.spec?.initContainers?.some((each) => each.name === name && each.restartPolicy === 'Always') ?? false;
}
