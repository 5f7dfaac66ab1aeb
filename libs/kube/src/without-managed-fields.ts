import type { KubeObject } from '@muster/job-api';

/** Deletes `metadata.managedFields`, of a list also those of its items. Nothing here reads them, and they are half of a pod's JSON. */
export function withoutManagedFields<T>(answer: T): T {
  const { metadata, items } = Object(answer) as KubeObject & { items?: unknown };
  delete metadata?.managedFields;
  if (Array.isArray(items)) items.forEach(withoutManagedFields);
  return answer;
}
