/**
 * What a job would get, worked out without a cluster by the very functions that the operator runs. It is the first pass
 * over a new job; what the API server itself adds (UIDs, defaults of pods) is not in it.
 */
import { mpiAdapter } from '@muster/adapter-mpi';
import { mxAdapter } from '@muster/adapter-mxnet';
import { pytorchAdapter } from '@muster/adapter-pytorch';
import { tfAdapter } from '@muster/adapter-tensorflow';
import {
  objectsOf,
  planningFailure,
  type FrameworkAdapter,
  type JobManifest,
  type PlanSettings,
} from '@muster/common-job-controller';
import {
  admitted,
  annotationProblems,
  apiVersionOf,
  mpiJobDefinition,
  mxJobDefinition,
  pytorchJobDefinition,
  tfJobDefinition,
  unknownFields,
  unreadAnnotations,
  versionsOf,
  type KindDefinition,
  type KubeObject,
} from '@muster/job-api';
import { unknownKubernetesFields } from './kubernetes-fields.ts';

interface Kind {
  readonly definition: KindDefinition<JobManifest>;
  readonly adapter: FrameworkAdapter;
}

const KINDS: readonly Kind[] = [
  { definition: tfJobDefinition, adapter: tfAdapter() },
  { definition: pytorchJobDefinition, adapter: pytorchAdapter() },
  { definition: mpiJobDefinition, adapter: mpiAdapter() },
  { definition: mxJobDefinition, adapter: mxAdapter() },
];

export interface PlanOptions extends PlanSettings {
  /** For jobs that name none. */
  readonly namespace: string;
}

export type PlannedJob = { readonly objects: readonly KubeObject[] } | { readonly problems: readonly string[] };

/** Stands where the API server's UID of the job would be. */
const NO_UID = '00000000-0000-0000-0000-000000000000';

/**
 * What the job would get, in the order in which it is made; or everything that is wrong with it. Of a suspended job, what
 * it gets when it is resumed.
 */
export function plannedObjects(manifest: object, options: PlanOptions): PlannedJob {
  const kind = kindOf(manifest);
  if (kind === undefined) return { problems: [unknownKind(manifest)] };
  const { definition, adapter } = kind;
  const problems = [...annotationProblems(manifest), ...adapter.problems(manifest)];
  if (problems.length > 0) return { problems: problems.map(({ path, message }) => `${path}: ${message}`) };

  const stored = admitted(definition, manifest);
  const metadata = { namespace: options.namespace, ...stored.metadata, uid: NO_UID, generation: 1 };
  try {
    return { objects: objectsOf(adapter, { ...stored, metadata }, options) };
  } catch (error) {
    return { problems: [planningFailure(error)] };
  }
}

/**
 * What the manifest says that nobody reads: fields that its kind does not have, also in pod templates, and annotations that
 * Muster does not know.
 */
export function unreadParts(manifest: object): string[] {
  const kind = kindOf(manifest);
  if (kind === undefined) return [];
  const unread = [...unreadAnnotations(manifest), ...unknownFields(kind.definition, manifest, unknownKubernetesFields)];
  return unread.map(({ path, message }) => `${path}: ${message}`);
}

function kindOf(manifest: KubeObject): Kind | undefined {
  return KINDS.find(
    ({ definition }) =>
      definition.resource.kind === manifest.kind && apiVersionsOf(definition).includes(manifest.apiVersion ?? ''),
  );
}

function apiVersionsOf(definition: KindDefinition<JobManifest>): string[] {
  const { resource } = definition;
  return versionsOf(definition).map(({ name }) => apiVersionOf({ ...resource, version: name }));
}

function unknownKind({ apiVersion, kind }: KubeObject): string {
  const known = KINDS.map(
    ({ definition }) => `${definition.resource.kind} of ${apiVersionsOf(definition).join(' or ')}`,
  ).join(', ');
  return `apiVersion, kind: no operator runs ${kind ?? 'an object without kind'} of ${apiVersion ?? 'no apiVersion'}; known: ${known}`;
}
