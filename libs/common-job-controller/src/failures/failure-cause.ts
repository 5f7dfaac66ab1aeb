import type { Pod } from '@muster/job-api';
import { badEndOf, failedContainer } from '../pods/container-end.ts';
import { errorOf } from '@muster/program-output';
import { signalOf } from './signals.ts';
import { disruptionOf, endOf, type PodEnd } from '../pods/pod-end.ts';

const WHOSE: Readonly<Record<PodEnd, string>> = {
  ProgramFailed: '',
  ClusterEnded: ' was ended by the cluster',
  NodeRefused: ' was refused by its node',
};

/** `pod p, container c: exit code 1 (Error): error message`. Exit codes of killed containers say nothing: the kubelet's reason is used. */
export function failureCause(pod: Pod, containerName: string): string {
  const end = endOf(pod);
  const name = `pod ${pod.metadata?.name}${WHOSE[end]}`;
  const failed = failedContainer(pod, containerName);
  const terminated = failed && badEndOf(pod, failed);
  const { reason: endedAs, message } = pod.status?.reason === undefined ? (disruptionOf(pod) ?? {}) : pod.status;
  if (failed === undefined || terminated === undefined || endedAs !== undefined || end !== 'ProgramFailed') {
    return [name, endedAs ?? 'failed', message].filter((part) => part !== undefined && part !== '').join(': ');
  }
  const error = errorOf(terminated);
  const named =
    terminated.reason === 'Error' ? (signalOf(terminated.exitCode) ?? terminated.reason) : terminated.reason;
  const reason = named === undefined ? '' : ` (${named})`;
  return `${name}, container ${failed.name}: exit code ${terminated.exitCode}${reason}${error === undefined ? '' : `: ${error}`}`;
}
