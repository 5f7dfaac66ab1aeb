/** The kinds of jobs whose manifests are generated: each version of MPIJob and each framework of a Volcano Job by itself. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameworkAdapter, JobManifest } from '@muster/common-job-controller';
import { crdFor, type KindDefinition, type KubeObject, type OpenApiSchema } from '@muster/job-api';
import { parseManifestStream, withoutBigInts } from '@muster/kubernetes-yaml';
import { frameworkOf } from '@muster/volcano-job';
import { plannedKindOf } from '../../src/planned-kinds.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../examples');

export interface SpecKind {
  readonly name: string;
  readonly definition: KindDefinition<JobManifest>;
  readonly adapter: FrameworkAdapter;
  readonly apiVersion: string;
  readonly kind: string;
  /** Of a Volcano Job: its plugin. */
  readonly framework?: string;
  /** The schema of the version, as the API server has it. */
  readonly schema: OpenApiSchema;
  /** Manifests of the examples, those in the forms of upstream included. */
  readonly examples: readonly JsonObject[];
}

/** All kinds that have examples, in the order of their names. */
export function specKinds(): readonly SpecKind[] {
  const byName = new Map<string, JsonObject[]>();
  for (const manifest of exampleManifests()) {
    const name = nameOf(manifest);
    if (name !== undefined) byName.set(name, [...(byName.get(name) ?? []), manifest]);
  }
  return [...byName].map(([name, examples]) => specKind(name, examples)).sort((a, b) => a.name.localeCompare(b.name));
}

function exampleManifests(): JsonObject[] {
  const files = globSync('**/*.yaml', { cwd: EXAMPLES }).sort();
  return files.flatMap((file) =>
    parseManifestStream(readFileSync(join(EXAMPLES, file)))
      .map(({ value }) => withoutBigInts(value) as Json)
      .filter(isObject),
  );
}

/** Such as `PyTorchJob`, `MPIJob-v1` or `VolcanoJob-mpi`. Undefined for objects that are no jobs. */
function nameOf(manifest: JsonObject): string | undefined {
  const object: KubeObject & { readonly spec?: object } = manifest;
  const kind = plannedKindOf(object);
  if (kind === undefined) return undefined;
  const { definition } = kind;
  if (definition.resource.kind === 'Job') return `VolcanoJob-${frameworkOf(object.spec ?? {})}`;
  const version = object.apiVersion?.split('/').at(-1);
  return definition.versions === undefined ? definition.resource.kind : `${definition.resource.kind}-${version}`;
}

function specKind(name: string, examples: readonly JsonObject[]): SpecKind {
  const [first = {}] = examples;
  const object: KubeObject & { readonly spec?: object } = first;
  const kind = plannedKindOf(object);
  if (kind === undefined) throw new Error(`${name} is no kind of job`);
  const { apiVersion = '', kind: kindName = '' } = object;
  const { definition } = kind;
  const framework = definition.resource.kind === 'Job' ? frameworkOf(object.spec ?? {}) : undefined;
  const version = crdFor(definition).spec.versions.find((each) => apiVersion.endsWith(`/${each.name}`));
  const schema = version?.schema?.openAPIV3Schema as OpenApiSchema | undefined;
  if (schema === undefined) throw new Error(`${name} has no schema`);
  return {
    ...{ name, definition, apiVersion, kind: kindName, schema, examples },
    adapter: kind.adapter({ clusterDomain: 'cluster.local' }),
    ...(framework !== undefined && { framework }),
  };
}
