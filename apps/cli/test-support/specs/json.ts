/** JSON values as trees: paths of their parts, and copies with another part. */
export type Json = null | string | number | boolean | Json[] | JsonObject;

export interface JsonObject {
  [field: string]: Json;
}

export type Path = readonly (string | number)[];

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The paths of all parts, each before those below it. The first is that of the whole. */
export function pathsOf(value: Json, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value)
    ? value.flatMap((item, index) => pathsOf(item, [...path, index]))
    : Object.entries(value).flatMap(([field, item]) => pathsOf(item, [...path, field]));
  return [path, ...inner];
}

export function partAt(value: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((part, step) => {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, step)) return undefined;
    return Reflect.get(part, step) as Json;
  }, value);
}

/** A copy with another part at `path`; undefined removes it. Without a part there, the copy is equal. */
export function changed(
  value: Json,
  [step, ...rest]: Path,
  change: (part: Json) => Json | undefined,
): Json | undefined {
  if (step === undefined) return change(value);
  const part = partAt(value, [step]);
  if (part === undefined) return value;
  const next = changed(part, rest, change);
  if (Array.isArray(value))
    return value.flatMap((item, index) => (index !== step ? [item] : next === undefined ? [] : [next]));
  return Object.fromEntries(
    Object.entries(value as JsonObject).flatMap(([field, item]): [string, Json][] =>
      field !== step ? [[field, item]] : next === undefined ? [] : [[field, next]],
    ),
  );
}
