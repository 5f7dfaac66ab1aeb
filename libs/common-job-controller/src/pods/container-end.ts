import { containersOf, type ContainerStatus, type Pod } from '@muster/job-api';
import { hasRestarter } from './in-place.ts';

/** In a pod that still runs, also the failure before the kubelet restarted the container. */
export function badEndOf(pod: Pod, { state, lastState }: ContainerStatus) {
  // After a restart of the whole pod, lastState has the kill by the kubelet, not the program's own end.
  const isLastKnown = pod.status?.phase !== 'Failed' && !hasRestarter(pod);
  const ends = isLastKnown ? [state?.terminated, lastState?.terminated] : [state?.terminated];
  return ends.find((end) => end !== undefined && end.exitCode !== 0);
}

/** The container `main`, if it failed, otherwise the first that did. */
export function failedContainer(pod: Pod, main?: string): ContainerStatus | undefined {
  const failed = containersOf(pod).filter((each) => badEndOf(pod, each) !== undefined);
  return failed.find(({ name }) => name === main) ?? failed[0];
}

/** The end of the first failed container. Without one, the end of the last container. Without any reported end, the pod's creation. */
export function endedAt(pod: Pod): string {
  const containers = containersOf(pod);
  const [first] = known(containers.map((status) => badEndOf(pod, status)?.finishedAt));
  const last = known(containers.map(({ state }) => state?.terminated?.finishedAt)).at(-1);
  return first ?? last ?? pod.metadata?.creationTimestamp ?? '';
}

function known(times: readonly (string | undefined)[]): string[] {
  return times.flatMap((time) => (time === undefined || time === '' ? [] : time)).sort();
}
