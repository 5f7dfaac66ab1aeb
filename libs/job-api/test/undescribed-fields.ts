/** Fields of pod templates that no schema describes. */
import type { Manifest } from './admission-table.ts';

const UNDESCRIBED = { affinity: { nodeAffinity: {} }, securityContext: { fsGroup: 1000 } };

/** `manifest` with such fields in each of its pod templates. */
export function withUndescribedFields(manifest: Manifest): Manifest {
  return inPods(manifest) as Manifest;
}

function inPods(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inPods);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([name, field]) => [name, inPods(field)]));
  return Array.isArray(fields['containers']) ? { ...UNDESCRIBED, ...fields } : fields;
}
