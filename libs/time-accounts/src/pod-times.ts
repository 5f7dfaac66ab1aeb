/** Times in pods, in milliseconds since the epoch. They come from the API server and the kubelets, with a resolution of one second. */
import { containerNamed, containersOf, hasEnded, momentOf, type Pod } from '@muster/job-api';

export function isOnNode({ spec }: Pod): boolean {
  return spec?.nodeName !== undefined && spec.nodeName !== '';
}

export function isGated({ status }: Pod): boolean {
  return (
    status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated') === true
  );
}

export function createdMs({ metadata }: Pod): number | undefined {
  return momentOf(metadata?.creationTimestamp);
}

/** When the kubelet accepted the pod. Undefined before that. */
export function acceptedMs({ status }: Pod): number | undefined {
  return momentOf(status?.startTime);
}

/** When the present or last run of the container `main` began. */
export function startedMs(pod: Pod, main: string): number | undefined {
  const { running, terminated } = containerNamed(main, pod)?.state ?? {};
  return momentOf((running ?? terminated)?.startedAt);
}

/** When the container `main` last ended, also if it runs again. */
export function endedMs(pod: Pod, main: string): number | undefined {
  const { state, lastState } = containerNamed(main, pod) ?? {};
  return momentOf((state?.terminated ?? lastState?.terminated)?.finishedAt);
}

/** When the container `main` last ended, if it does not run again yet: the kubelet restarts it, or waits before it does. */
export function downSinceMs(pod: Pod, main: string): number | undefined {
  return containerNamed(main, pod)?.state?.running === undefined ? endedMs(pod, main) : undefined;
}

/** When an ended pod ended. Undefined for others, and if the kubelet did not report it. */
export function podEndMs(pod: Pod): number | undefined {
  if (!hasEnded(pod)) return undefined;
  const ends = containersOf(pod).flatMap(({ state }) => momentOf(state?.terminated?.finishedAt) ?? []);
  return ends.length === 0 ? undefined : Math.max(...ends);
}
