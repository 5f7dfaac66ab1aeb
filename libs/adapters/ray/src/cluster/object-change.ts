/** Compares an object with the desired one, which lacks the API server's defaults. */
import type { KubeObject } from '@muster/job-api';

type Fields = Readonly<Record<string, unknown>>;

/** A patch for `fields`, and for the desired annotations and labels. */
export function changeOf(
  existing: KubeObject,
  desired: KubeObject,
  fields: readonly string[],
): { readonly patch: object } | undefined {
  const [is, wanted] = [existing as Fields, desired as Fields];
  const metadata = metadataChange(existing, desired);
  const changed = fields.filter((field) => !isContained(wanted[field], is[field]));
  if (changed.length === 0 && metadata === undefined) return undefined;
  const parts = changed.map((field) => [field, wanted[field]] as const);
  return { patch: { ...(metadata && { metadata }), ...Object.fromEntries(parts) } };
}

function metadataChange({ metadata: is }: KubeObject, { metadata: wanted }: KubeObject): object | undefined {
  const parts = (['annotations', 'labels'] as const).filter(
    (part) => !isContained(wanted?.[part] ?? {}, is?.[part] ?? {}),
  );
  return parts.length === 0 ? undefined : Object.fromEntries(parts.map((part) => [part, wanted?.[part]]));
}

/** True if `is` has everything in `wanted`; lists need the same length. */
function isContained(wanted: unknown, is: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(is) && is.length === wanted.length && wanted.every((each, at) => isContained(each, is[at]));
  }
  if (typeof wanted !== 'object' || wanted === null) return wanted === is;
  const fields = Object(is) as Fields;
  return Object.entries(wanted).every(([key, value]) => value === undefined || isContained(value, fields[key]));
}
