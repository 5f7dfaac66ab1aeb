import { containerNamed, type ContainerStatus, momentOf, type Pod } from '@muster/job-api';
import { hasRestarter, RESTARTER } from './in-place.ts';
import { endOf } from './pod-end.ts';
import type { ReplicaState } from '../model/replica-pod.ts';

/** A field of the pod status since Kubernetes 1.34. */
export interface ObservedGeneration {
  readonly observedGeneration?: number;
}

/** Follows the pod's phase, except that running sidecars do not count after the container `main` has ended for good. */
export function stateOf(pod: Pod, main: string): Exclude<ReplicaState, 'missing'> {
  const { phase } = pod.status ?? {};
  const end = mainEndOf(pod, main);
  if ((phase === 'Succeeded' || end?.exitCode === 0) && !endedUnderDeletion(pod, main)) return 'succeeded';
  if (pod.metadata?.deletionTimestamp !== undefined) return 'terminating';
  if (phase === 'Failed' || end !== undefined) return 'failed';
  return phase === 'Running' ? 'running' : 'pending';
}

/**
 * The end of the container `main` in a pod that still runs, or that another container failed. Undefined if the kubelet will restart the
 * container, and in a pod that was ended as a whole.
 */
export function mainEndOf(pod: Pod, main: string) {
  const end = containerNamed(main, pod)?.state?.terminated;
  const policy = pod.spec?.restartPolicy;
  if (pod.status?.phase === 'Failed') return wasEndedAsWhole(pod) ? undefined : end;
  if (pod.status?.phase !== 'Running' || policy === undefined || policy === 'Always') return undefined;
  return end?.exitCode === 0 || policy === 'Never' ? end : undefined;
}

/** Whether the kubelet or the cluster ended the pod. The exit codes of its containers then only show the reaction to SIGTERM. */
function wasEndedAsWhole(pod: Pod): boolean {
  return pod.status?.reason !== undefined || endOf(pod) !== 'ProgramFailed';
}

/** No, if the time is unknown. Does not apply to a success that was recorded before the deletion. */
export function endedUnderDeletion(pod: Pod, main: string): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds: graceSeconds = 0 } = pod.metadata ?? {};
  const goesMs = momentOf(deletionTimestamp);
  const finishedMs = momentOf(containerNamed(main, pod)?.state?.terminated?.finishedAt);
  if (goesMs === undefined || finishedMs === undefined) return false;
  const hasSeen = hasSeenDeletion(pod);
  // The kubelet reported the end before it could observe the deletion, so the clocks do not matter.
  if (hasSeen === false) return false;
  const endMs = finishedMs + clockLagMs(pod);
  // Both times have whole seconds.
  if (graceSeconds > 0) return endMs >= goesMs - graceSeconds * 1000;
  // A pod that ended before its deletion gets a grace period of 0. A kubelet sets it to 0 as well just before it removes a pod, which loses
  // the time of the request; but that kubelet has observed the deletion.
  return hasSeen === true || endMs > goesMs;
}

/** A deletion increments the generation. Undefined without observedGeneration, as before Kubernetes 1.34. */
function hasSeenDeletion({ metadata, status }: Pod & { readonly status?: ObservedGeneration }): boolean | undefined {
  const [generation, observed] = [metadata?.generation, status?.observedGeneration];
  return generation === undefined || observed === undefined ? undefined : observed >= generation;
}

/** The longest time between binding and acceptance by the kubelet. */
const ACCEPTED_WITHIN_MS = 2000;

/**
 * How far the node's clock is behind the API server's at most, which shows if the kubelet accepted the pod before its binding. A clock that
 * is ahead looks like a late acceptance; the replica is recreated then, rather than counted as succeeded.
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

/** Undefined if the container has not ended or the kubelet did not report it (eviction, a lost node). */
export function exitCodeOf(pod: Pod, name: string): number | undefined {
  return containerNamed(name, pod)?.state?.terminated?.exitCode;
}

/** Kubelets report this shortly before the pod's end. In between, sidecars among the init containers and the restarter end. */
export function haveContainersEnded({ status }: Pod): boolean {
  const containers = status?.containerStatuses?.filter(({ name }) => name !== RESTARTER) ?? [];
  return containers.length > 0 && containers.every(({ state }) => state?.terminated !== undefined);
}

/** Sidecars do not count. */
export function containerRestarts(pod: Pod, main: string): number {
  if (hasRestarter(pod)) return 0;
  const own = pod.status?.containerStatuses?.filter(({ name }) => name === main) ?? [];
  const init = pod.status?.initContainerStatuses?.filter((status) => !isSidecar(pod, status)) ?? [];
  return [...own, ...init].reduce((sum, { restartCount }) => sum + restartCount, 0);
}

function isSidecar(pod: Pod, { name }: ContainerStatus): boolean {
  return pod.spec?.initContainers?.some((each) => each.name === name && each.restartPolicy === 'Always') ?? false;
}
