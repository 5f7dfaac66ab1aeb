/**
 * Manifests from the schema of a kind: values of each field's type, at the edges of its bounds and rarely outside. `hints.ts` has
 * the fields whose schema does not say which values make sense.
 */
import type { OpenApiSchema } from '@muster/job-api';
import fc from 'fast-check';
import { fieldsOf, mostly, numberWithin, quantity, rarely, text } from './edge-values.ts';
import { absenceOf, HINTS, keysOf, mainContainer, rolesOf } from './hints.ts';
import type { Json } from './json.ts';
import { podTemplate } from './pod-template-arbitrary.ts';

interface Place {
  readonly field: string;
  readonly kind: string;
  /** Name of the main container of pods below. */
  readonly container?: string | undefined;
}

export function schemaArbitrary(schema: OpenApiSchema, place: Place): fc.Arbitrary<Json> {
  const { field } = place;
  if (isPodTemplate(schema)) return podTemplate(place.container);
  const hint = HINTS[field];
  if (hint !== undefined) return hint;
  if (schema['x-kubernetes-int-or-string']) return quantity;
  if (schema.enum)
    return mostly(fc.constantFrom(...(schema.enum as Json[])), fc.constantFrom<Json[]>('', 'Sometimes', 'never'), 60);
  switch (schema.type) {
    case 'object':
      return objectOf(schema, place);
    case 'array':
      return listOf(schema, place);
    case 'integer':
      return numberWithin(Math.max(schema.minimum ?? -2, -2), schema.maximum ?? 2_147_483_647);
    case 'number':
      return numberWithin(schema.minimum ?? -2, schema.maximum ?? 100);
    case 'boolean':
      return fc.boolean();
    default:
      return stringOf(schema);
  }
}

function isPodTemplate({ properties = {} }: OpenApiSchema): boolean {
  return properties.spec?.properties?.containers !== undefined;
}

function objectOf(schema: OpenApiSchema, { field, kind, container }: Place): fc.Arbitrary<Json> {
  const { properties, additionalProperties, required = [] } = schema;
  if (additionalProperties) {
    const below = { field: `${field}.*`, kind, container: mainContainer(field) ?? container };
    const content = schemaArbitrary(additionalProperties, below);
    return rolesOf(field, content) ?? fc.dictionary(keysOf(field), content, { minKeys: 1, maxKeys: 3 });
  }
  const fields = Object.entries(properties ?? {}).map(([name, inner]) => {
    const value = schemaArbitrary(inner, { field: name, kind, container });
    const absence = required.includes(name) ? 0 : absenceOf(name, kind);
    if (absence === 0) return [name, mostly<Json | undefined>(value, fc.constant(undefined), 100)] as const;
    return [name, rarely(value, absence)] as const;
  });
  const unknown = [['unknownField', rarely(fc.constant<Json>(1), 60)] as const];
  return fieldsOf(Object.fromEntries([...fields, ...unknown]));
}

function listOf({ items = {}, maxItems }: OpenApiSchema, { field, ...place }: Place): fc.Arbitrary<Json> {
  const item = schemaArbitrary(items, { ...place, field: `${field}[]` });
  const list = mostly<Json>(fc.array(item, { minLength: 1, maxLength: 3 }), fc.constant([]), 20);
  const doubled = item.map((one): Json => [one, one]);
  const usual = mostly(list, doubled, 15);
  if (maxItems === undefined || maxItems > 30) return usual;
  return mostly(
    usual,
    item.map((one): Json => Array.from({ length: maxItems + 1 }, () => one)),
    80,
  );
}

function stringOf({ pattern, maxLength }: OpenApiSchema): fc.Arbitrary<Json> {
  const usual = pattern === undefined ? text : fc.stringMatching(new RegExp(pattern));
  if (maxLength === undefined) return usual;
  return mostly<Json>(usual, fc.constantFrom('x'.repeat(maxLength), 'x'.repeat(maxLength + 1)), 40);
}
