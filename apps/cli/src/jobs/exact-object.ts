/** Objects as the API server has them, for printing: integers of 64 bits have all of their digits. */
import type { KubeObject } from '@muster/job-api';
import { parseJson, type YamlValue } from '@muster/kubernetes-yaml';

/** For `RequestOptions.parse`: bigints stand for integers that a number cannot hold. Without `managedFields`, which kubectl leaves out, too. */
export function parseObjectsExactly(json: string): unknown {
  const answer = parseJson(json) as KubeObject & { items?: YamlValue };
  if (!Array.isArray(answer.items)) return withoutManagers(answer);
  return { ...answer, items: answer.items.map((item) => withoutManagers(item as KubeObject)) };
}

function withoutManagers(object: KubeObject): KubeObject {
  if (object.metadata === undefined) return object;
  const { managedFields: _managers, ...metadata } = object.metadata;
  return { ...object, metadata };
}
