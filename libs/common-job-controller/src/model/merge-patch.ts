/** JSON merge patch (RFC 7386) that turns `before` into `after`. */

type Json = Record<string, unknown>;

/** Undefined if nothing differs. Lists are replaced as a whole. A removed field becomes null. */
export function mergePatch(before: object, after: object): Json | undefined {
  const patch: Json = {};
  const old: Json = { ...before };
  const wanted: Json = { ...after };
  for (const key of new Set([...Object.keys(old), ...Object.keys(wanted)])) {
    const [from, to] = [old[key], wanted[key]];
    if (to === undefined) {
      if (from !== undefined) patch[key] = null;
    } else if (isObject(from) && isObject(to)) {
      const inner = mergePatch(from, to);
      if (inner !== undefined) patch[key] = inner;
    } else if (!isEqual(from, to)) {
      patch[key] = to;
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, i) => isEqual(each, b[i]));
  if (isObject(a) && isObject(b)) return mergePatch(a, b) === undefined;
  return a === b;
}
