import type { ContainerStatus, Pod } from '@muster/job-api';

/** Init containers first. */
export function containersOf({ status }: Pick<Pod, 'status'>): ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

/** Not an init container. */
export function containerNamed(name: string, { status }: Pick<Pod, 'status'>): ContainerStatus | undefined {
  return status?.containerStatuses?.find((each) => each.name === name);
}
