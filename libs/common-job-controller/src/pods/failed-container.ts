import type { ContainerStatus, Pod } from '@muster/job-api';
import { badEndOf } from './container-end.ts';

export function failedContainer(pod: Pod, main: string): ContainerStatus | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const failed = [...initContainerStatuses, ...containerStatuses].filter((each) => badEndOf(pod, each) !== undefined);
  return failed.find(({ name }) => name === main) ?? failed[0];
}
