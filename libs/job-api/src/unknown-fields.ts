/**
 * The fields of a manifest that its kind does not have. The API server drops them without a word, unless it is asked for strict
 * validation, as kubectl does; so a misspelt field is found only when the job does not do what it says.
 */
import * as z from 'zod';
import { nearestName } from './nearest-name.ts';
import type { FieldProblem } from './problems-of.ts';
import { below, schemaFor, unwrapped, type Judged } from './schema-steps.ts';

/** Judges an object that the schema keeps as it is without describing all of it; `field` is the name that it stands under. */
export type KeptObjectJudge = (field: string, value: object, path: string) => FieldProblem[];

/** In the order of the manifest. The status is left out: it is not the user's to write. */
export function unknownFields(
  definition: Judged<unknown>,
  manifest: object,
  judgeKept: KeptObjectJudge,
): FieldProblem[] {
  return fieldsWithin(
    schemaFor(definition, manifest),
    { ...manifest, status: null },
    { field: '', path: '' },
    judgeKept,
  );
}

/** What is said of a field `name` that is none of those `known`. */
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
  judgeKept: KeptObjectJudge,
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
