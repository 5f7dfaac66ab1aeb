/** Why a pod failed, in one line that a user can act on. */
import type { ContainerStatus, Pod } from '@muster/job-api';
import { badEndOf } from '../failures/container-end.ts';
import { disruptionOf, endOf, type PodEnd } from '../pods/pod-end.ts';

const LONGEST_TERMINATION_MESSAGE = 300;

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
