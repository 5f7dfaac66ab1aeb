/** How a schema is walked beside an object that it describes. */
import * as z from 'zod';
import type { KubeObject } from './kubernetes.ts';

/** What a kind's objects are judged by: the part of its definition that is read here. */
export interface Judged<T> {
  readonly schema: z.ZodType<T>;
  readonly versions?: readonly { readonly name: string; readonly schema: z.ZodType<T> }[];
}

export function schemaFor<T>({ schema, versions = [] }: Judged<T>, { apiVersion = '' }: KubeObject): z.ZodType<T> {
  const version = apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
  return versions.find(({ name }) => name === version)?.schema ?? schema;
}

/** `schema` itself, of what may be left out or has a default. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return isWrapper ? unwrapped(schema.def.innerType) : schema;
}

/** What describes the field, entry or item `step`; undefined where nothing does. */
export function below(schema: z.core.$ZodType, step: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject) return schema.shape[String(step)] as z.core.$ZodType | undefined;
  if (schema instanceof z.ZodRecord) return schema.def.valueType;
  if (schema instanceof z.ZodArray) return schema.def.element;
  return undefined;
}
