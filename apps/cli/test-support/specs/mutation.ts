/** Mistakes in a manifest: each changes one part of it, whatever it is. */
import fc from 'fast-check';
import { changed, isObject, partAt, pathsOf, type Json, type Path } from './json.ts';

type Slip = (part: Json, other: Json, field: string) => Json | undefined;

const SLIPS: Readonly<Record<string, Slip>> = {
  delete: () => undefined,
  null: () => null,
  duplicate: (part) => (Array.isArray(part) ? [...part, ...part] : [part, part]),
  unwrap: (part) => (Array.isArray(part) ? (part[0] ?? {}) : isObject(part) ? (Object.values(part)[0] ?? {}) : [part]),
  'list as map': (part) =>
    Array.isArray(part) ? { ...Object.fromEntries(part.map((item, at) => [`item-${at}`, item])) } : { value: part },
  'other type': (part) =>
    typeof part === 'string'
      ? 7
      : typeof part === 'number'
        ? String(part)
        : typeof part === 'boolean'
          ? 'yes'
          : JSON.stringify(part),
  'other part': (_part, other) => other,
  rename: (part) => (isObject(part) ? renamed(part) : part),
  'upper case': (part) => (typeof part === 'string' ? part.toUpperCase() : part),
  'lower case': (part) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).map(([key, value]) => [key.toLowerCase(), value])) : part,
  empty: (part) => (Array.isArray(part) ? [] : isObject(part) ? {} : typeof part === 'string' ? '' : 0),
  'add field': (part) => (isObject(part) ? { ...part, unknownField: 'x' } : part),
  negative: (part) => (typeof part === 'number' ? -part - 1 : part),
  huge: (part) =>
    typeof part === 'number' ? 2_147_483_648 : typeof part === 'string' ? part.repeat(100).slice(0, 300) : part,
  'one more': (part) => (typeof part === 'number' ? part + 1 : typeof part === 'string' ? `${part}x` : part),
  zero: (part) => (typeof part === 'number' ? 0 : part),
  fraction: (part) => (typeof part === 'number' ? part + 0.5 : part),
  unicode: (part) => (typeof part === 'string' ? `${part}ü` : part),
  space: (part) => (typeof part === 'string' ? `${part} ` : part),
};

function renamed(part: Readonly<Record<string, Json>>): Json {
  const [first, ...others] = Object.entries(part);
  if (first === undefined) return part;
  return Object.fromEntries([[`${first[0]}x`, first[1]], ...others]);
}

export interface Mutation {
  readonly slip: string;
  readonly where: number;
  readonly other: number;
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  slip: fc.constantFrom(...Object.keys(SLIPS)),
  where: fc.nat({ max: 2_000_000_000 }),
  other: fc.nat({ max: 2_000_000_000 }),
});

/** `whole` after all mutations, one after the other. */
export function mutated(whole: Json, mutations: readonly Mutation[]): Json {
  return mutations.reduce<Json>((manifest, { slip, where, other }) => {
    const paths = pathsOf(manifest).filter((path) => path.length > 0);
    const at = (index: number): Path => paths[index % paths.length] ?? [];
    const path = at(where);
    const another = partAt(manifest, at(other)) ?? null;
    // The whole may contain the part: the copy has no part in common with it.
    const change = (part: Json) => SLIPS[slip]?.(part, structuredClone(another), String(path.at(-1)));
    return changed(manifest, path, change) ?? {};
  }, whole);
}
