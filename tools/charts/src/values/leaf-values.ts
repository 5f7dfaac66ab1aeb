/** The values of a schema that are not groups, in order. */
import type { ValueSchema } from './chart-values.ts';

export interface LeafValue {
  /** For `--set`. */
  readonly path: string;
  readonly schema: ValueSchema;
}

export function leafValues(schema: ValueSchema, prefix = ''): LeafValue[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) =>
    isGroup(value) ? leafValues(value, `${prefix}${name}.`) : [{ path: `${prefix}${name}`, schema: value }],
  );
}

/** A group contains values. An object that is a single value has a default. */
export function isGroup({ properties, default: value }: ValueSchema): boolean {
  return properties !== undefined && value === undefined;
}
