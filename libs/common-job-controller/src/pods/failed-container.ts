import type { ContainerStatus, Pod } from '@muster/job-api';
import { badEndOf } from './container-end.ts';

/** The failed container: the one named `main` if it failed, otherwise the first that did. */
export function failedContainer(pod: Pod, main: string): ContainerStatus | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const failed = [...initContainerStatuses, ...containerStatuses].filter((each) => badEndOf(pod, each) !== undefined);
  return failed.find(({ name }) => name === main) ?? failed[0];
}
