/** Parses objects for printing: integers of 64 bits keep all digits. */
import { withoutManagedFields } from '@muster/kube';
import { parseJson } from '@muster/kubernetes-yaml';

/** For `RequestOptions.parse`: integers that a number cannot hold become bigints. Omits `managedFields`, as kubectl does. */
export function parseObjectsExactly(json: string): unknown {
  return withoutManagedFields(parseJson(json));
}
