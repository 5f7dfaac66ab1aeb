/**
 * Generates CustomResourceDefinitions from zod schemas: structural, with the schema's descriptions, defaults and
 * rules, and a stable order of keys.
 */
import * as z from 'zod';
import { versionsOf, type KindDefinition, type KindVersion, type PrinterColumn } from './kind-definition.ts';
import type { CustomResourceDefinition, JSONSchemaProps, KubeObject, ValidationRule } from './kubernetes.ts';

/** A schema in the API server's dialect of OpenAPI, with the extensions that Kubernetes' published types lack. */
export type OpenApiSchema = Omit<JSONSchemaProps, 'properties' | 'additionalProperties' | 'items'> & {
  properties?: Record<string, OpenApiSchema>;
  additionalProperties?: OpenApiSchema;
  items?: OpenApiSchema;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-validations'?: ValidationRule[];
};

/** The schema of `definition` in the API server's dialect of OpenAPI. */
export function openApiSchemaOf(definition: { readonly schema: z.ZodType }): OpenApiSchema {
  const schema = z.toJSONSchema(definition.schema, {
    target: 'openapi-3.0',
    io: 'input',
    reused: 'inline',
    override: ({ jsonSchema }) => fitForKubernetes(jsonSchema as OpenApiSchema),
  }) as OpenApiSchema;
  // The API server describes metadata itself and accepts no fields here.
  return { ...schema, properties: { ...schema.properties, metadata: { type: 'object' } } };
}

/** Changes, in place, what structural schemas do not allow in zod's JSON schema. */
function fitForKubernetes(schema: OpenApiSchema): void {
  if (schema['x-kubernetes-int-or-string']) {
    delete schema.anyOf;
    return;
  }
  if (schema.type === 'integer') fitInteger(schema);
  if (schema.enum?.includes('') === true) explainEmptyText(schema);
  if (schema.type === 'object') fitObject(schema);
}

/** Go clients write an empty string for an unset field, so it is accepted. `kubectl explain` lists it as `""`. */
function explainEmptyText(schema: OpenApiSchema): void {
  const { description = '' } = schema;
  if (description.includes('""')) return;
  schema.description = `${description} "" is the same as unset.`.trim();
}

/**
 * Adds the width of an integer as a format; zod writes only bounds. Also called for wrapped schemas, which already
 * have it.
 */
function fitInteger(schema: OpenApiSchema): void {
  if (schema.format !== undefined) return;
  schema.format = schema.maximum === Number.MAX_SAFE_INTEGER ? 'int64' : 'int32';
  // The 32-bit bounds stay: API servers before 1.33 ignore the format.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** Marks objects that keep undescribed fields with Kubernetes' extension; zod writes `additionalProperties: {}`. */
function fitObject(schema: OpenApiSchema): void {
  const { additionalProperties } = schema;
  if (additionalProperties === undefined || schema.properties === undefined) return;
  const isLoose = Object.keys(additionalProperties).length === 0;
  delete schema.additionalProperties;
  if (isLoose) schema['x-kubernetes-preserve-unknown-fields'] = true;
  if (Object.keys(schema.properties).length === 0) delete schema.properties;
}

/** The CRD that serves `definition`'s kind. */
export function crdFor<T extends KubeObject>(definition: KindDefinition<T>): CustomResourceDefinition {
  const { resource, singular, shortNames } = definition;
  const versions = versionsOf(definition);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${resource.plural}.${resource.group}` },
    spec: {
      group: resource.group,
      names: {
        kind: resource.kind,
        listKind: `${resource.kind}List`,
        plural: resource.plural,
        singular,
        shortNames: [...shortNames],
        categories: ['all', 'mljobs'],
      },
      scope: resource.namespaced ? 'Namespaced' : 'Cluster',
      versions: versions.map((version) => versionOf(definition, version)),
      // Set explicitly, so that it replaces the conversion webhook of an older definition.
      ...(versions.length > 1 && { conversion: { strategy: 'None' } }),
    },
  };
}

function versionOf<T extends KubeObject>({ resource, printerColumns }: KindDefinition<T>, version: KindVersion<T>) {
  return {
    name: version.name,
    served: true,
    storage: version.name === resource.version,
    additionalPrinterColumns: printerColumns.map(columnOf),
    schema: { openAPIV3Schema: openApiSchemaOf(version) },
    subresources: { status: {}, ...(version.scale && { scale: version.scale }) },
  };
}

function columnOf({ name, type, jsonPath, description, wide }: PrinterColumn) {
  return { name, type, jsonPath, description, ...(wide && { priority: 1 }) };
}
