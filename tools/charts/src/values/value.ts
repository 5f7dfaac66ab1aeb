/** The forms of a chart's values. A value says what it means, and the operator's flag that it sets if there is one. */
import * as z from 'zod';

/** What is written beside a value's schema; `flag` is one of the operator's, without the dashes. */
export interface ValueMeta {
  readonly description: string;
  readonly flag?: string;
}

/** A group of values: a name that it does not have is refused. */
export function group<T extends z.ZodRawShape>(description: string, shape: T) {
  return z.strictObject(shape).describe(description);
}

/** A part of a Kubernetes object, of which Helm leaves the checking to the API server: its fields are Kubernetes' own. */
export function kubernetesObject(description: string, value: Readonly<Record<string, unknown>> = {}) {
  return z.looseObject({}).default(value).describe(description);
}

/** A part whose own fields are these; what is in them is Kubernetes'. A misspelt field would be dropped by the API server, or refused by it only. */
export function kubernetesFields(
  description: string,
  fields: readonly string[],
  value: Readonly<Record<string, unknown>> = {},
) {
  const shape = Object.fromEntries(fields.map((field) => [field, z.unknown().optional()]));
  return z.strictObject(shape).default(value).describe(description);
}

/** The same as a list. */
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

/** A DNS name in lower case, or nothing. */
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
  // The assertion is about generics only: a member of T is an input of z.enum(T).
  return z
    .enum(values)
    .default(value as never)
    .meta({ ...meta });
}

/** A duration as Go writes it, above zero. */
export function duration(value: string, meta: ValueMeta) {
  return z.string().regex(/^(\d+h)?(\d+m)?(\d+(\.\d+)?s)?(\d+ms)?$/).min(2).default(value).meta({ ...meta });
}
