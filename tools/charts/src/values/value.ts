/** Schemas of a chart's values, each with a description and, if it sets a flag of the operator, that flag. */
import * as z from 'zod';

/** `flag`: of the operator, without dashes. */
export interface ValueMeta {
  readonly description: string;
  readonly flag?: string;
}

/** A group of values. Unknown names are rejected. */
export function group<T extends z.ZodRawShape>(description: string, shape: T) {
  return z.strictObject(shape).describe(description);
}

/** A part of a Kubernetes object. The API server validates it. */
export function kubernetesObject(description: string, value: Readonly<Record<string, unknown>> = {}) {
  return z.looseObject({}).default(value).describe(description);
}

/** A part of a Kubernetes object with exactly these fields, so that Helm rejects misspelt ones. The API server validates their content. */
export function kubernetesFields(
  description: string,
  fields: readonly string[],
  value: Readonly<Record<string, unknown>> = {},
) {
  const shape = Object.fromEntries(fields.map((field) => [field, z.unknown().optional()]));
  return z.strictObject(shape).default(value).describe(description);
}

/** A list of parts of Kubernetes objects. The API server validates them. */
export function kubernetesList(description: string, value: Readonly<Record<string, unknown>>[] = []) {
  return z.array(z.looseObject({})).default(value).describe(description);
}

export function textMap(description: string) {
  return z.record(z.string(), z.string()).default({}).describe(description);
}

export function onOff(value: boolean, meta: ValueMeta) {
  return z.boolean().default(value).meta({ ...meta });
}

export function text(value: string, meta: ValueMeta) {
  return z.string().default(value).meta({ ...meta });
}

/** A DNS name in lower case, or empty. */
export function optionalName(meta: ValueMeta) {
  const name = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$/;
  return z.string().regex(name).default('').meta({ ...meta });
}

export function wholeNumber([min, max]: readonly [number, number], value: number, meta: ValueMeta) {
  return z.int().min(min).max(max).default(value).meta({ ...meta });
}

export function choice<const T extends readonly [string, ...string[]]>(
  values: T,
  value: NoInfer<T[number]>,
  meta: ValueMeta,
) {
  // The assertion is only for generics: a member of T is an input of z.enum(T).
  return z
    .enum(values)
    .default(value as never)
    .meta({ ...meta });
}

/** A duration in the format of Go, above zero. */
export function duration(value: string, meta: ValueMeta) {
  return z.string().regex(/^(\d+h)?(\d+m)?(\d+(\.\d+)?s)?(\d+ms)?$/).min(2).default(value).meta({ ...meta });
}
