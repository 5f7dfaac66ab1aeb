/** When and how containers of a pod that failed have ended. */
import type { ContainerStatus, Pod } from '@muster/job-api';
import { hasRestarter } from './in-place.ts';

/** How the container failed: in a pod that goes on, also the last time before the kubelet started it again. */
export function badEndOf(pod: Pod, { state, lastState }: ContainerStatus) {
  // Restarted as a whole, all containers say that they were killed, whatever they ended with.
  const isLastKnown = pod.status?.phase !== 'Failed' && !hasRestarter(pod);
  const ends = isLastKnown ? [state?.terminated, lastState?.terminated] : [state?.terminated];
  return ends.find((end) => end !== undefined && end.exitCode !== 0);
}

/**
 * When the first of its containers failed; when the last one ended, of a pod that was ended as a whole and whose containers ended well;
 * when the pod was created, where the kubelet reports no end.
 */
export function endedAt(pod: Pod): string {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const containers = [...initContainerStatuses, ...containerStatuses];
  const [first] = known(containers.map((status) => badEndOf(pod, status)?.finishedAt));
  const last = known(containers.map(({ state }) => state?.terminated?.finishedAt)).at(-1);
  return first ?? last ?? pod.metadata?.creationTimestamp ?? '';
}

function known(times: readonly (string | undefined)[]): string[] {
  return times.flatMap((time) => (time === undefined || time === '' ? [] : time)).sort();
}
