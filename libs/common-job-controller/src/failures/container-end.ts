/** When and how containers of a pod that failed have ended. */
import type { ContainerStatus, Pod } from '@muster/job-api';
import { hasRestarter } from '../restarts/in-place.ts';

/** How the container failed: in a pod that goes on, also the last time before the kubelet started it again. */
export function badEndOf(pod: Pod, { state, lastState }: ContainerStatus) {
  // Restarted as a whole, all containers say that they were killed, whatever they ended with.
  const isLastKnown = pod.status?.phase !== 'Failed' && !hasRestarter(pod);
  const ends = isLastKnown ? [state?.terminated, lastState?.terminated] : [state?.terminated];
  return ends.find((end) => end !== undefined && end.exitCode !== 0);
}

/** In the kubelet's words; the time of its creation where it does not say. */
export function endedAt(pod: Pod): string {
  const ends = pod.status?.containerStatuses?.map((status) => badEndOf(pod, status)?.finishedAt ?? '') ?? [];
  return ends.filter((end) => end !== '').sort()[0] ?? pod.metadata?.creationTimestamp ?? '';
}
