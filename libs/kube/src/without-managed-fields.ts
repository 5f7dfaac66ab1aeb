import type { KubeObject } from '@muster/job-api';

/** Deletes `metadata.managedFields`, in lists also from the items. It is unused, and half of a pod's JSON. */
export function withoutManagedFields<T>(answer: T): T {
  const { metadata, items } = Object(answer) as KubeObject & { items?: unknown };
  delete metadata?.managedFields;
  if (Array.isArray(items)) items.forEach(withoutManagedFields);
  return answer;
}
