import type { ContainerStatus, Pod } from './kubernetes.ts';

/** Init containers first. */
export function containersOf({ status }: Pick<Pod, 'status'>): ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

/** Not an init container. */
export function containerNamed(name: string, { status }: Pick<Pod, 'status'>): ContainerStatus | undefined {
  return status?.containerStatuses?.find((each) => each.name === name);
}

export function hasEnded({ status }: Pick<Pod, 'status'>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
