/** Why a pod failed, in one line that a user can act on. */
import type { ContainerStatus, Pod } from '@muster/job-api';
import { disruptionOf, endOf, type PodEnd } from '../pods/pod-end.ts';

const LONGEST_TERMINATION_MESSAGE = 300;

/** The pod among `pods` that ended first, which is mostly the one that made the others fail. */
export function firstFailed(pods: readonly Pod[]): Pod | undefined {
  return pods.reduce<Pod | undefined>(
    (first, pod) => (first === undefined || endedAt(pod) < endedAt(first) ? pod : first),
    undefined,
  );
}

const WHOSE: Readonly<Record<PodEnd, string>> = {
  ProgramFailed: '',
  ClusterEnded: ' was ended by the cluster',
  NodeRefused: ' was refused by its node',
};

/**
 * `pod p, container c: exit code 1 (Error): last words`; of a pod that was ended as a whole who did it, with the kubelet's own
 * reason and message: that its containers were killed then says nothing of them.
 */
export function failureCause(pod: Pod, containerName: string): string {
  const end = endOf(pod);
  const name = `pod ${pod.metadata?.name}${WHOSE[end]}`;
  const failed = failedContainer(pod, containerName);
  const terminated = failed && badEndOf(pod, failed);
  const { reason: endedAs, message } = pod.status?.reason === undefined ? (disruptionOf(pod) ?? {}) : pod.status;
  if (failed === undefined || terminated === undefined || endedAs !== undefined || end !== 'ProgramFailed') {
    return [name, endedAs ?? 'failed', message].filter((part) => part !== undefined && part !== '').join(': ');
  }
  const words = terminated.message?.trim().slice(0, LONGEST_TERMINATION_MESSAGE);
  const reason = terminated.reason === undefined ? '' : ` (${terminated.reason})`;
  return `${name}, container ${failed.name}: exit code ${terminated.exitCode}${reason}${words ? `: ${words}` : ''}`;
}

function failedContainer(pod: Pod, containerName: string): ContainerStatus | undefined {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const failed = statuses.filter((status) => badEndOf(pod, status) !== undefined);
  return failed.find(({ name }) => name === containerName) ?? failed[0];
}

/** How the container failed: in a pod that goes on, also the last time before the kubelet started it again. */
function badEndOf({ status }: Pod, { state, lastState }: ContainerStatus) {
  const ends = status?.phase === 'Failed' ? [state?.terminated] : [state?.terminated, lastState?.terminated];
  return ends.find((end) => end !== undefined && end.exitCode !== 0);
}

function endedAt(pod: Pod): string {
  const ends = pod.status?.containerStatuses?.map((status) => badEndOf(pod, status)?.finishedAt ?? '') ?? [];
  return ends.filter((end) => end !== '').sort()[0] ?? pod.metadata?.creationTimestamp ?? '';
}
