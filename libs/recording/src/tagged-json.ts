/**
 * JSON with Map, Set, non-finite numbers and undefined in a list. A tag is an object whose only key begins with `$`; a
 * data object of that form gets a second `$`. Undefined values of keys are left out, as in JSON. The data of Secrets is
 * never written.
 */
import type { KubeObject } from '@muster/job-api';

export const SECRET_MARKER = '(not recorded)';

/** kubectl's copy of a manifest, with everything in it. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Throws for functions and for objects that are not plain data. */
export function taggedJson(value: unknown): string {
  return JSON.stringify(value, tag);
}

export function fromTaggedJson(text: string): unknown {
  return JSON.parse(text, untag);
}

/** Only for Secrets, since their kind may be missing. */
export function withoutSecretData<T extends object>(secret: T): T {
  const hidden = Object.entries(secret).map(([key, value]: [string, unknown]) => {
    if (key === 'data' || key === 'stringData') return [key, hiddenValues(value)];
    return [key, key === 'metadata' ? withoutLastApplied(Object(value) as object) : value];
  });
  return Object.fromEntries(hidden) as T;
}

function hiddenValues(data: unknown): object {
  return Object.fromEntries(Object.keys(Object(data) as object).map((key) => [key, SECRET_MARKER]));
}

/** The annotation has the manifest with the data. */
function withoutLastApplied(metadata: NonNullable<KubeObject['metadata']>): object {
  if (metadata.annotations?.[LAST_APPLIED] === undefined) return metadata;
  return { ...metadata, annotations: { ...metadata.annotations, [LAST_APPLIED]: SECRET_MARKER } };
}

function tag(this: object, key: string): unknown {
  // The second argument of the replacer is already converted by `toJSON`.
  const value: unknown = Reflect.get(this, key);
  if (value === undefined) return Array.isArray(this) ? { $undefined: true } : undefined;
  if (typeof value === 'number' && !Number.isFinite(value)) return { $number: String(value) };
  if (typeof value === 'function') throw new Error(`${key} is a function, and cannot be recorded`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (value instanceof Map) return { $map: [...value] };
  if (value instanceof Set) return { $set: [...value] };
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new Error(`${key} is not plain data, and cannot be recorded`);
  }
  const [only, ...others] = Object.keys(value);
  if (only?.startsWith('$') && others.length === 0) return { [`$${only}`]: Reflect.get(value, only) as unknown };
  return (value as KubeObject).kind === 'Secret' ? withoutSecretData(value) : value;
}

function untag(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // An element revived as undefined is a hole.
  if (Array.isArray(value)) return value.includes(undefined) ? Array.from<unknown>(value) : value;
  const [only, ...others] = Object.keys(value);
  if (!only?.startsWith('$') || others.length > 0) return value;
  const inner = Reflect.get(value, only) as unknown;
  if (only === '$map') return new Map(inner as [unknown, unknown][]);
  if (only === '$set') return new Set(inner as unknown[]);
  if (only === '$number') return Number(inner);
  if (only === '$undefined') return undefined;
  return { [only.slice(1)]: inner };
}
