/** JSON that keeps all digits of 64-bit integers. */
import type { YamlValue } from './yaml-value.ts';

/** Node 24 has `JSON.rawJSON`; TypeScript has no type for it yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => object };

/** Bigints as numbers with all of their digits, for `JSON.stringify`. */
export function withExactIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return rawJSON(String(value));
  if (Array.isArray(value)) return value.map(withExactIntegers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withExactIntegers(each)]));
}

/** Indented by two spaces. */
export function jsonText(value: unknown): string {
  return JSON.stringify(withExactIntegers(value), undefined, 2);
}

/** Integers that a number cannot hold are bigints. @throws SyntaxError */
export function parseJson(text: string): YamlValue {
  return JSON.parse(text, exactIntegers) as YamlValue;
}

function exactIntegers(this: unknown, _key: string, value: YamlValue, context?: { source?: string }): YamlValue {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !/^-?\d{1,19}$/.test(context?.source ?? ''))
    return value;
  const exact = BigInt(context?.source ?? 0);
  return BigInt.asIntN(64, exact) === exact ? exact : value;
}
