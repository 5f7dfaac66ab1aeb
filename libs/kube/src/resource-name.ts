import type { Resource } from '@muster/job-api';

/** kubectl's name of a resource: `pods`, `pytorchjobs.kubeflow.org`. */
export function resourceName({ plural, group }: Pick<Resource, 'plural' | 'group'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}
