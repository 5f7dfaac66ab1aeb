/**
 * Validates an object without an API server: for `muster plan`, and for objects that bypassed admission (stored before
 * the rules, or under another CRD).
 *
 * Applies the schema and the rules of the CRD. Does not cover rules about changes (immutable fields), fields that the
 * API server drops, and errors that only the creation of pods shows. Uses the schema of the version in the object's
 * `apiVersion`.
 */
import * as z from 'zod';
import type { RuleReason } from './rule.ts';
import { below, schemaFor, unwrapped, type ValidatedKind } from './schema-steps.ts';

export interface FieldProblem {
  /** In the API server's spelling: `spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].image`. */
  readonly path: string;
  /** In the API server's format, with what to do: `Required value: name the image that this container runs`. */
  readonly message: string;
}

type Issue = z.core.$ZodIssue;
type Path = Issue['path'];

/** All problems of `object`'s spec and name, in the order of the schema. */
export function problemsOf(definition: ValidatedKind<unknown>, object: object): FieldProblem[] {
  const schema = schemaFor(definition, object);
  // The status is ignored: it cannot make a job invalid.
  const declared = withoutNulls(schema, { ...object, status: null });
  const { error } = schema.safeParse(declared);
  return (error?.issues ?? []).map((issue) => ({
    path: fieldPath(schema, issue.path),
    message: messageOf(issue, valueAt(declared, issue.path), schemaAt(schema, issue.path)),
  }));
}

/** `object` as the API server would store it: defaults filled in, unknown fields dropped. Throws if it has problems. */
export function admitted<T>(definition: ValidatedKind<T>, object: object): T {
  const schema = schemaFor(definition, object);
  return schema.parse(withoutNulls(schema, object));
}

/** `object` without described fields that are null, which the API server drops. It may have problems. */
export function withoutNullFields<T extends object>(definition: ValidatedKind<unknown>, object: T): T {
  return withoutNulls(schemaFor(definition, object), object) as T;
}

/** A field that is null counts as absent, as for the API server: `resources:` without a value. */
function withoutNulls(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (schema === undefined || typeof value !== 'object' || value === null) return value;
  const here = unwrapped(schema);
  if (Array.isArray(value)) return (value as unknown[]).map((item, index) => withoutNulls(below(here, index), item));
  const fields = Object.entries(value).flatMap(([field, content]): [string, unknown][] => {
    const inner = below(here, field);
    return inner !== undefined && content === null ? [] : [[field, withoutNulls(inner, content)]];
  });
  return Object.fromEntries(fields);
}

/** `.field` for fields, `[key]` for the keys of maps and the indexes of lists. */
function fieldPath(schema: z.core.$ZodType, path: Path): string {
  let here: z.core.$ZodType | undefined = schema;
  const steps = path.map((step) => {
    const parent: z.core.$ZodType | undefined = here && unwrapped(here);
    here = parent && below(parent, step);
    return parent === undefined || parent instanceof z.ZodObject ? `.${String(step)}` : `[${String(step)}]`;
  });
  return steps.join('').replace(/^[.]/, '');
}

function valueAt(object: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? (Reflect.get(value, step) as unknown) : undefined),
    object,
  );
}

function schemaAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType | undefined {
  const here = path.reduce<z.core.$ZodType | undefined>(
    (parent, step) => parent && below(unwrapped(parent), step),
    schema,
  );
  return here && unwrapped(here);
}

const ERROR_TYPES: Readonly<Record<RuleReason, string>> = {
  FieldValueInvalid: 'Invalid value',
  FieldValueRequired: 'Required value',
  FieldValueForbidden: 'Forbidden',
};

function messageOf(issue: Issue, value: unknown, schema?: z.core.$ZodType): string {
  if (issue.code === 'custom') {
    const reason: RuleReason = (issue.params as { reason: RuleReason }).reason;
    return reason === 'FieldValueInvalid' ? invalid(value, issue.message) : `${ERROR_TYPES[reason]}: ${issue.message}`;
  }
  if (value === undefined) return ERROR_TYPES.FieldValueRequired;
  if (issue.code === 'invalid_value') {
    const supported = issue.values.filter((known) => known !== '').map((known) => JSON.stringify(known));
    return `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.join(', ')}`;
  }
  return invalid(value, schemaMessage(issue, schema));
}

/** Leaves out objects and lists, which would be too long. */
function invalid(value: unknown, message: string): string {
  const shown = typeof value === 'object' || value === undefined ? '' : `${JSON.stringify(value)}: `;
  return `${ERROR_TYPES.FieldValueInvalid}: ${shown}${message}`;
}

function schemaMessage(issue: Issue, schema?: z.core.$ZodType): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be of type ${typeName(issue.expected, schema)}`;
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    case 'too_big':
      return SIZED[issue.origin] === undefined
        ? `must be at most ${issue.maximum}`
        : `must have at most ${issue.maximum} ${SIZED[issue.origin]}`;
    case 'invalid_union':
      return 'must be a quantity such as 500m, 2 or 16Gi';
    default:
      return issue.message;
  }
}

/** The API's names of zod's types. */
function typeName(expected: string, schema?: z.core.$ZodType): string {
  if (expected === 'int' || schema instanceof z.ZodNumberFormat) return 'integer';
  return expected === 'record' ? 'object' : expected;
}

const SIZED: Readonly<Record<string, string>> = { array: 'items', string: 'characters' };
