/** The values of a schema one by one, in its order: those that are no groups, but may be set. */
import type { ValueSchema } from './chart-values.ts';

export interface LeafValue {
  /** As `--set` takes it. */
  readonly path: string;
  readonly schema: ValueSchema;
}

export function leafValues(schema: ValueSchema, prefix = ''): LeafValue[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) =>
    isGroup(value) ? leafValues(value, `${prefix}${name}.`) : [{ path: `${prefix}${name}`, schema: value }],
  );
}

/** A group has values of its own; an object that is a value as a whole has a default. */
export function isGroup({ properties, default: value }: ValueSchema): boolean {
  return properties !== undefined && value === undefined;
}
