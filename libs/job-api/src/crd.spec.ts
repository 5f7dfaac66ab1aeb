import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { crdFor, openApiSchemaOf, type OpenApiSchema } from './crd.ts';
import { FRAMEWORKS } from './crd-yaml.ts';
import type { KindDefinition } from './kind-definition.ts';
import { mpiJobDefinition } from './mpi-job.ts';
import { pytorchJobDefinition } from './pytorch-job.ts';
import { rayClusterDefinition } from './ray-cluster.ts';
import { rayJobDefinition } from './ray-job.ts';
import { count, port, quantity } from './scalars.ts';

/** Every schema below `schema`, with its path as in `kubectl explain`. */
function* nested(schema: OpenApiSchema, path = ''): Generator<[string, OpenApiSchema]> {
  yield [path, schema];
  for (const [field, property] of Object.entries(schema.properties ?? {})) yield* nested(property, `${path}.${field}`);
  if (schema.items) yield* nested(schema.items, `${path}[]`);
  if (schema.additionalProperties) yield* nested(schema.additionalProperties, `${path}{}`);
}

const openApi = (shape: z.ZodRawShape) => openApiSchemaOf({ schema: z.object(shape) }).properties ?? {};

describe('the schema for the API server', () => {
  it('writes the width of integers as a format, and for 32 bits also as bounds', () => {
    const { small, large, tcp, signed } = openApi({
      small: count(),
      large: z.int().min(0).exactOptional(),
      tcp: port().exactOptional(),
      signed: z.int32().exactOptional(),
    });
    expect(small).toEqual({ type: 'integer', format: 'int32', minimum: 0, maximum: 2_147_483_647 });
    expect(large).toEqual({ type: 'integer', format: 'int64', minimum: 0 });
    expect(tcp).toEqual({ type: 'integer', format: 'int32', minimum: 1, maximum: 65_535 });
    expect(signed).toEqual({
      type: 'integer',
      format: 'int32',
      minimum: -2_147_483_648,
      maximum: 2_147_483_647,
    });
  });

  it('keeps unknown fields by the extension, never by additionalProperties next to properties', () => {
    const { any, some } = openApi({ any: z.looseObject({}), some: z.looseObject({ a: z.string() }) });
    expect(any).toEqual({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
    expect(some).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      'x-kubernetes-preserve-unknown-fields': true,
    });
  });

  it('writes a quantity as a bare int-or-string', () => {
    expect(openApi({ q: quantity() }).q).toEqual({
      'x-kubernetes-int-or-string': true,
      pattern: expect.any(String) as string,
    });
  });

  it('does not describe metadata', () => {
    expect(openApiSchemaOf(pytorchJobDefinition).properties?.metadata).toEqual({ type: 'object' });
  });
});

describe.each(
  Object.values(FRAMEWORKS)
    .flat()
    .map((definition) => [definition.resource.kind, definition] as const),
)('the CRD of %s', (_kind, definition) => {
  const crd = crdFor(definition);
  const schema = openApiSchemaOf(definition);

  it('describes every field', () => {
    const undescribed = [...nested(schema)].filter(
      ([path, { description }]) => /[a-zA-Z]$/.test(path) && path !== '.metadata' && !description,
    );
    expect(undescribed.map(([path]) => path)).toEqual([]);
  });

  it('describes the value "" where kubectl explain lists it', () => {
    const unexplained = [...nested(schema)].filter(
      ([, node]) => node.enum?.includes('') === true && node.description?.includes('""') !== true,
    );
    expect(unexplained.map(([path]) => path)).toEqual([]);
  });

  it('is structural', () => {
    const wrong = [...nested(schema)].filter(
      ([, node]) =>
        node.anyOf !== undefined ||
        (node.properties !== undefined && node.additionalProperties !== undefined) ||
        (node.type === undefined && !node['x-kubernetes-int-or-string']),
    );
    expect(wrong.map(([path]) => path)).toEqual([]);
  });

  it('is far below the 256 KiB that plain kubectl apply can record', () => {
    // The CRD of MPIJob has its schema three times, once for each version.
    expect(JSON.stringify(crd).length).toBeLessThan(176 * 1024);
  });

  it('has a message with a remedy in every rule', () => {
    const rules = [...nested(schema)].flatMap(([, node]) => node['x-kubernetes-validations'] ?? []);
    expect(rules.length).toBeGreaterThan(0);
    expect(rules.filter(({ message = '' }) => message.length < 15 || message.includes('\n'))).toEqual([]);
  });
});

describe('the CRD of PyTorchJob', () => {
  const [version] = crdFor(pytorchJobDefinition).spec.versions;

  it('has the names and subresources of Kubeflow, and a short name', () => {
    const { names, scope, group } = crdFor(pytorchJobDefinition).spec;
    expect({ group, scope, ...names }).toEqual({
      group: 'kubeflow.org',
      scope: 'Namespaced',
      kind: 'PyTorchJob',
      listKind: 'PyTorchJobList',
      plural: 'pytorchjobs',
      singular: 'pytorchjob',
      shortNames: ['ptjob'],
      categories: ['all', 'mljobs'],
    });
    expect(version?.subresources).toEqual({
      status: {},
      scale: {
        specReplicasPath: '.spec.pytorchReplicaSpecs.Worker.replicas',
        statusReplicasPath: '.status.replicaStatuses.Worker.active',
        labelSelectorPath: '.status.replicaStatuses.Worker.selector',
      },
    });
  });

  it('shows state, readiness, restarts and age', () => {
    const columns = version?.additionalPrinterColumns ?? [];
    expect(columns.filter(({ priority }) => priority === undefined).map(({ name }) => name)).toEqual([
      'State',
      'Ready',
      'Restarts',
      'Age',
    ]);
    expect(columns.every(({ description }) => description !== undefined)).toBe(true);
  });

  it('has defaults for the run policy only, so that stored jobs match their manifests', () => {
    const defaults = [...nested(openApiSchemaOf(pytorchJobDefinition))].filter(
      ([, node]) => node.default !== undefined,
    );
    expect(defaults.map(([path, node]) => [path, node.default])).toEqual([
      ['.spec.runPolicy', {}],
      ['.spec.runPolicy.suspend', false],
    ]);
  });
});

describe('the CRD of MPIJob', () => {
  const { versions, conversion } = crdFor(mpiJobDefinition).spec;
  const schemas = versions.map(({ name, schema }) => [name, schema?.openAPIV3Schema as OpenApiSchema] as const);

  it('serves three versions without conversion, and stores the newest', () => {
    expect(versions.map(({ name, served, storage }) => ({ name, served, storage }))).toEqual([
      { name: 'v2beta1', served: true, storage: true },
      { name: 'v1', served: true, storage: false },
      { name: 'v1alpha1', served: true, storage: false },
    ]);
    expect(conversion).toEqual({ strategy: 'None' });
  });

  it('has the same schema in all versions except the default of the generation', () => {
    const texts = schemas.map(([version, schema]) => {
      const marker = schema.properties?.spec?.properties?.apiGeneration;
      expect(marker?.default).toBe(version);
      const same = { ...schema.properties?.spec?.properties, apiGeneration: { ...marker, default: '' } };
      return JSON.stringify({
        ...schema,
        properties: { ...schema.properties, spec: { ...schema.properties?.spec, properties: same } },
      });
    });
    expect(new Set(texts).size).toBe(1);
  });

  it('requires no field of one generation and sets no defaults for it, so that each version accepts all jobs', () => {
    for (const [version, schema] of schemas) {
      const defaults = [...nested(schema)].filter(([, node]) => node.default !== undefined);
      expect(Object.fromEntries(defaults.map(([path, node]) => [path, node.default]))).toEqual({
        '.spec.apiGeneration': version,
        '.spec.runPolicy': {},
        '.spec.runPolicy.suspend': false,
      });
      expect(schema.properties?.spec?.required).toBeUndefined();
    }
  });
});

interface ExpectedOfRay {
  readonly columns: readonly string[];
  readonly wide: readonly string[];
  /** Path of the worker groups. */
  readonly groups: string;
  /** Other defaults than their counts. */
  readonly others: Readonly<Record<string, unknown>>;
}

describe.each<[string, KindDefinition, ExpectedOfRay]>([
  [
    'RayCluster',
    rayClusterDefinition,
    {
      columns: ['desired workers', 'available workers', 'cpus', 'memory', 'gpus', 'status', 'age'],
      wide: ['tpus', 'head pod IP', 'head service IP'],
      groups: '.spec.workerGroupSpecs[]',
      others: {},
    },
  ],
  [
    'RayJob',
    rayJobDefinition,
    {
      columns: ['job status', 'deployment status', 'ray cluster name', 'start time', 'end time', 'age'],
      wide: [],
      groups: '.spec.rayClusterSpec.workerGroupSpecs[]',
      others: { '.spec.submissionMode': 'K8sJobMode' },
    },
  ],
])('the CRD of %s', (_kind, definition, { columns, wide, groups, others }) => {
  const [version] = crdFor(definition).spec.versions;

  it("shows KubeRay's columns", () => {
    const all = version?.additionalPrinterColumns ?? [];
    expect(all.filter(({ priority }) => priority === undefined).map(({ name }) => name)).toEqual(columns);
    expect(all.filter(({ priority }) => priority === 1).map(({ name }) => name)).toEqual(wide);
  });

  it('has a status subresource, and no scale subresource', () => {
    expect(version?.subresources).toEqual({ status: {} });
  });

  it('has defaults only for fields that other programs read', () => {
    const defaults = [...nested(openApiSchemaOf(definition))].filter(([, node]) => node.default !== undefined);
    expect(Object.fromEntries(defaults.map(([path, node]) => [path, node.default]))).toEqual({
      ...others,
      [`${groups}.replicas`]: 0,
      [`${groups}.minReplicas`]: 0,
      [`${groups}.maxReplicas`]: 2_147_483_647,
    });
  });
});
