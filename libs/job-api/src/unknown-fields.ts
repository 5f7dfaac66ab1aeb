/**
 * Fields of a manifest that its kind does not have. The API server silently drops them, unless the client requests
 * strict validation, as kubectl does.
 */
import * as z from 'zod';
import { nearestName } from './nearest-name.ts';
import type { FieldProblem } from './problems-of.ts';
import { below, schemaFor, unwrapped, type ValidatedKind } from './schema-steps.ts';

/**
 * Checks an object with fields that the schema keeps but does not describe; `field` is the name of the object's field.
 */
export type UndescribedObjectCheck = (field: string, value: object, path: string) => FieldProblem[];

/** In the order of the manifest. The status is left out: users do not write it. */
export function unknownFields(
  definition: ValidatedKind<unknown>,
  manifest: object,
  judgeKept: UndescribedObjectCheck,
): FieldProblem[] {
  return fieldsWithin(
    schemaFor(definition, manifest),
    { ...manifest, status: null },
    { field: '', path: '' },
    judgeKept,
  );
}

/** Problem of a field `name` that is not one of `known`. */
export function unknownField(path: string, name: string, known: Iterable<string>): FieldProblem {
  const nearest = nearestName(name, known);
  return { path, message: `unknown field${nearest === undefined ? '' : `; did you mean ${nearest}?`}` };
}

interface Place {
  readonly field: string;
  readonly path: string;
}

function fieldsWithin(
  schema: z.core.$ZodType | undefined,
  value: unknown,
  { field, path }: Place,
  judgeKept: UndescribedObjectCheck,
): FieldProblem[] {
  if (schema === undefined || typeof value !== 'object' || value === null) return [];
  const here = unwrapped(schema);
  if (here instanceof z.ZodObject && here.def.catchall !== undefined) return judgeKept(field, value, path);
  if (!(here instanceof z.ZodObject)) {
    return Object.entries(value).flatMap(([key, content]) =>
      fieldsWithin(below(here, key), content, { field, path: `${path}[${key}]` }, judgeKept),
    );
  }
  return Object.entries(value).flatMap(([name, content]) => {
    const place = { field: name, path: path === '' ? name : `${path}.${name}` };
    const inner = below(here, name);
    if (inner === undefined) return [unknownField(place.path, name, Object.keys(here.shape))];
    return fieldsWithin(inner, content, place, judgeKept);
  });
}
