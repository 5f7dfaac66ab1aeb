/** Steps from a schema to the schemas of its fields, for walking it beside an object. */
import * as z from 'zod';
import type { KubeObject } from './kubernetes.ts';

/** The part of a kind's definition that validation needs. */
export interface ValidatedKind<T> {
  readonly schema: z.ZodType<T>;
  readonly versions?: readonly { readonly name: string; readonly schema: z.ZodType<T> }[];
}

export function schemaFor<T>(
  { schema, versions = [] }: ValidatedKind<T>,
  { apiVersion = '' }: KubeObject,
): z.ZodType<T> {
  const version = apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
  return versions.find(({ name }) => name === version)?.schema ?? schema;
}

/** `schema` without wrappers for optional fields and defaults. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return isWrapper ? unwrapped(schema.def.innerType) : schema;
}

/** Schema of the field, entry or item `step`; undefined if there is none. */
export function below(schema: z.core.$ZodType, step: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject) return schema.shape[String(step)] as z.core.$ZodType | undefined;
  if (schema instanceof z.ZodRecord) return schema.def.valueType;
  if (schema instanceof z.ZodArray) return schema.def.element;
  return undefined;
}
