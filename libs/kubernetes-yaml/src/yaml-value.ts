/** Values of YAML that JSON has, too. */
export type YamlValue = null | boolean | number | bigint | string | YamlValue[] | YamlObject;

export interface YamlObject {
  [key: string]: YamlValue;
}

/** A copy with numbers instead of bigints, rounded as by programs that read JSON numbers as floating point. */
export function withoutBigInts(value: YamlValue): YamlValue {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withoutBigInts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutBigInts(each)]));
}
