/** Objects as the API server has them, for printing: integers of 64 bits have all of their digits. */
import { withoutManagedFields } from '@muster/kube';
import { parseJson } from '@muster/kubernetes-yaml';

/** For `RequestOptions.parse`: bigints stand for integers that a number cannot hold. Without `managedFields`, which kubectl leaves out, too. */
export function parseObjectsExactly(json: string): unknown {
  return withoutManagedFields(parseJson(json));
}
