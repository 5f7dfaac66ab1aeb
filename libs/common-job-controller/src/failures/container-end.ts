/** When and how containers of a pod that failed have ended. */
import type { ContainerStatus, Pod } from '@muster/job-api';

/** How the container failed: in a pod that goes on, also the last time before the kubelet started it again. */
export function badEndOf({ status }: Pod, { state, lastState }: ContainerStatus) {
  const ends = status?.phase === 'Failed' ? [state?.terminated] : [state?.terminated, lastState?.terminated];
  return ends.find((end) => end !== undefined && end.exitCode !== 0);
}

/** In the kubelet's words; the time of its creation where it does not say. */
export function endedAt(pod: Pod): string {
  const ends = pod.status?.containerStatuses?.map((status) => badEndOf(pod, status)?.finishedAt ?? '') ?? [];
  return ends.filter((end) => end !== '').sort()[0] ?? pod.metadata?.creationTimestamp ?? '';
}
