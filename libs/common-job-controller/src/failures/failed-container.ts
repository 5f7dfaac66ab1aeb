import type { ContainerStatus, Pod } from '@muster/job-api';
import { badEndOf } from './container-end.ts';

/** The container of the pod that failed: the one called `main` if it did, or else the first that did. */
export function failedContainer({ status }: Pod, main: string): ContainerStatus | undefined {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const failed = statuses.filter((each) => badEndOf({ status: status ?? {} }, each) !== undefined);
  return failed.find(({ name }) => name === main) ?? failed[0];
}
