/** Why something was restarted, in the words of the metric that counts it. */
import type { ContainerStatus, Pod } from '@muster/job-api';
import { endOf } from '../pods/pod-end.ts';
import type { RestartCause } from '../model/status-write.ts';

/** Why a pod is recreated. */
export function recreationCause(pod: Pod): RestartCause {
  const end = endOf(pod);
  if (end !== 'ProgramFailed') return end;
  return containersOf(pod).some(({ state }) => isOutOfMemory(state?.terminated)) ? 'OutOfMemory' : end;
}

/** Why the kubelet has started a container of the pod again: how the last one ended. */
export function inPlaceCause(pod: Pod): RestartCause {
  const ends = containersOf(pod).map(({ state, lastState }) => lastState?.terminated ?? state?.terminated);
  return ends.some(isOutOfMemory) ? 'OutOfMemory' : 'ProgramFailed';
}

function containersOf({ status }: Pod): ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function isOutOfMemory(end: { readonly reason?: string } | undefined): boolean {
  return end?.reason === 'OOMKilled';
}
