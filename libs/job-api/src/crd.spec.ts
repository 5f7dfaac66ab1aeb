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

/** Every schema below `schema`, with the path to it as `kubectl explain` would write it. */
function* nested(schema: OpenApiSchema, path = ''): Generator<[string, OpenApiSchema]> {
  yield [path, schema];
  for (const [field, property] of Object.entries(schema.properties ?? {})) yield* nested(property, `${path}.${field}`);
  if (schema.items) yield* nested(schema.items, `${path}[]`);
  if (schema.additionalProperties) yield* nested(schema.additionalProperties, `${path}{}`);
}

const openApi = (shape: z.ZodRawShape) => openApiSchemaOf({ schema: z.object(shape) }).properties ?? {};

describe('the schema for the API server', () => {
  it('gives integers their width as a format, and those of 32 bits as bounds besides', () => {
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

  it('keeps unknown fields with the extension, never with additionalProperties beside properties', () => {
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

  it('leaves metadata to the API server', () => {
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

  it('describes every field in words', () => {
    const silent = [...nested(schema)].filter(
      ([path, { description }]) => /[a-zA-Z]$/.test(path) && path !== '.metadata' && !description,
    );
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  it('says what the empty text means where it is a value, which kubectl explain lists as ""', () => {
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
    // That of MPIJob has the schema of all its fields three times, once for each version.
    expect(JSON.stringify(crd).length).toBeLessThan(176 * 1024);
  });

  it('says in every rule what to do', () => {
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

  it('fills in the run policy and nothing else, so that stored jobs stay as their authors wrote them', () => {
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

  it('has one schema in all versions but for the default of the generation, which is the name of the version', () => {
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

  it('requires no field of a generation and fills in none, so that each version lets all jobs pass', () => {
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
  /** Where the worker groups stand. */
  readonly groups: string;
  /** What is filled in besides their counts. */
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

  it('has a status of its own, and no scale: it has no one number of replicas', () => {
    expect(version?.subresources).toEqual({ status: {} });
  });

  it('fills in what others read, and nothing else', () => {
    const defaults = [...nested(openApiSchemaOf(definition))].filter(([, node]) => node.default !== undefined);
    expect(Object.fromEntries(defaults.map(([path, node]) => [path, node.default]))).toEqual({
      ...others,
      [`${groups}.replicas`]: 0,
      [`${groups}.minReplicas`]: 0,
      [`${groups}.maxReplicas`]: 2_147_483_647,
    });
  });
});
