/**
 * What a job would get, worked out without a cluster by the very functions that the operator runs. It is the first pass
 * over a new job; what the API server itself adds (UIDs, defaults of pods) is not in it.
 */
import { submitterWhenReady } from '@muster/adapter-ray';
import {
  lostByMultiKueue,
  manifestProblems,
  objectsOf,
  planningFailure,
  type JobManifest,
  type PlanSettings,
} from '@muster/common-job-controller';
import {
  admitted,
  annotationProblems,
  apiVersionOf,
  RAY_CLUSTERS,
  RAY_JOBS,
  rayClusterDefinition,
  unknownFields,
  unreadAnnotations,
  type KubeObject,
  type RayCluster,
  type RayJob,
  VOLCANO_JOBS,
} from '@muster/job-api';
import { FRAMEWORK_PLUGINS } from '@muster/volcano-job';
import { apiVersionsOf, KINDS } from './kinds.ts';
import { plannedKindOf } from './planned-kinds.ts';
import { unknownKubernetesFields } from './kubernetes-fields.ts';

export interface PlanOptions extends PlanSettings {
  /** For jobs that name none. */
  readonly namespace: string;
  /** All manifests that are planned together. A cluster that a job names is looked for among them. Default: the one alone. */
  readonly manifests?: readonly KubeObject[];
}

export type PlannedJob = { readonly objects: readonly KubeObject[] } | { readonly problems: readonly string[] };

interface Later {
  /** What it gets once those of its `objects` that it waits for are ready. */
  readonly objects: (job: JobManifest, objects: readonly KubeObject[], options: PlanOptions) => KubeObject[];
  /** What it gets that does not follow from the manifests, in words. */
  readonly unplanned: (job: JobManifest, options: PlanOptions) => string[];
}

/** Of kinds that get more than follows from their first pass. */
const LATER: Readonly<Record<string, Later>> = {
  [RAY_JOBS.kind]: { objects: submitterOf, unplanned: unplannedSubmitter },
};

/** Stands where the API server's UID of the job would be. */
const NO_UID = '00000000-0000-0000-0000-000000000000';

/**
 * What the job would get, in the order in which it is made, and what those of these objects get that are jobs themselves; or
 * everything that is wrong with it. Of a suspended job, what it gets when it is resumed.
 */
export function plannedObjects(manifest: object, options: PlanOptions): PlannedJob {
  const kind = plannedKindOf(manifest);
  if (kind === undefined) return { problems: [unknownKind(manifest)] };
  const { definition } = kind;
  const adapter = kind.adapter(options);
  const problems = [...annotationProblems(manifest), ...manifestProblems(adapter, manifest)];
  if (problems.length > 0) return { problems: problems.map(({ path, message }) => `${path}: ${message}`) };

  const stored = admitted(definition, manifest);
  const metadata = { namespace: options.namespace, ...stored.metadata, uid: NO_UID, generation: 1 };
  const job = resumed({ ...stored, metadata });
  try {
    const objects = objectsOf(adapter, job, options);
    const further = LATER[definition.resource.kind]?.objects(job, objects, options) ?? [];
    return withTheirObjects([...objects, ...further], options);
  } catch (error) {
    return { problems: [planningFailure(error)] };
  }
}

/** Not suspended, for kinds that plan by that themselves. */
function resumed(job: JobManifest): JobManifest {
  return 'suspend' in Object(job.spec) ? { ...job, spec: { ...job.spec, suspend: false } } : job;
}

/** Each of `objects`, followed by what it gets itself where it is of a kind that is planned here. */
function withTheirObjects(objects: readonly KubeObject[], options: PlanOptions): PlannedJob {
  const planned = objects.map((object) =>
    plannedKindOf(object) === undefined ? { objects: [] } : plannedObjects(object, options),
  );
  const problems = planned.flatMap((one) => ('problems' in one ? one.problems : []));
  if (problems.length > 0) return { problems };
  return { objects: objects.flatMap((object, at) => [object, ...objectsIn(planned[at])]) };
}

function objectsIn(planned: PlannedJob | undefined): readonly KubeObject[] {
  return planned !== undefined && 'objects' in planned ? planned.objects : [];
}

function submitterOf(job: JobManifest, objects: readonly KubeObject[], options: PlanOptions): KubeObject[] {
  const own = objects.find(({ kind }) => kind === RAY_CLUSTERS.kind) as RayCluster | undefined;
  const cluster = own ?? selectedCluster(job as RayJob, options);
  const submitter = cluster && submitterWhenReady(job as RayJob, cluster, options);
  return submitter === undefined ? [] : [submitter];
}

/** The cluster that the job names, if it is among the manifests. */
function selectedCluster(
  { metadata, spec }: RayJob,
  { manifests = [], namespace }: PlanOptions,
): RayCluster | undefined {
  const namespaceOf = (one: KubeObject['metadata']) => one?.namespace ?? namespace;
  const found = manifests.find(
    ({ kind, metadata: { name, ...own } = {} }) =>
      kind === RAY_CLUSTERS.kind &&
      name === spec.clusterSelector?.['ray.io/cluster'] &&
      namespaceOf(own) === namespaceOf(metadata),
  );
  if (found === undefined) return undefined;
  const cluster = admitted(rayClusterDefinition, found);
  return { ...cluster, metadata: { ...cluster.metadata, namespace: namespaceOf(metadata) } };
}

function unplannedSubmitter(job: JobManifest, options: PlanOptions): string[] {
  const { metadata, spec } = job as RayJob;
  if (spec.clusterSelector === undefined) return [];
  const cluster = `RayCluster ${spec.clusterSelector['ray.io/cluster']}`;
  if (spec.submissionMode !== 'K8sJobMode')
    return [`spec.clusterSelector: ${cluster} is there already: nothing is made`];
  if (selectedCluster(job as RayJob, options) !== undefined) return [];
  return [
    `spec.clusterSelector: the submitter, Job ${metadata?.name}, is not shown: its image and its address are those of ${cluster}. Put that into the same file to see it`,
  ];
}

/** What of a manifest without problems changes nothing, is likely to go wrong all the same, or is not in its plan. */
export function warnings(manifest: object, options: PlanOptions): string[] {
  const kind = plannedKindOf(manifest);
  if (kind === undefined) return [];
  const job = admitted(kind.definition, manifest);
  const adapter = kind.adapter(options);
  const found = [...(adapter.warnings?.(job) ?? []), ...lostByMultiKueue(adapter, job)];
  const unplanned = LATER[kind.definition.resource.kind]?.unplanned(job, options) ?? [];
  return [...found.map(({ path, message }) => `${path}: ${message}`), ...unplanned];
}

/**
 * What the manifest says that nobody reads: fields that its kind does not have, also in pod templates, and annotations that
 * Muster does not know.
 */
export function unreadParts(manifest: object): string[] {
  const kind = plannedKindOf(manifest);
  if (kind === undefined) return [];
  const unread = [...unreadAnnotations(manifest), ...unknownFields(kind.definition, manifest, unknownKubernetesFields)];
  return unread.map(({ path, message }) => `${path}: ${message}`);
}

function unknownKind({ apiVersion, kind }: KubeObject): string {
  if (apiVersion === apiVersionOf(VOLCANO_JOBS))
    return `spec.plugins: no plugin names a framework (${FRAMEWORK_PLUGINS.join(', ')}): Volcano's own controller runs this ${kind}`;
  const known = KINDS.map(
    ({ definition }) => `${definition.resource.kind} of ${apiVersionsOf(definition).join(' or ')}`,
  ).join(', ');
  return `apiVersion, kind: no operator runs ${kind ?? 'an object without kind'} of ${apiVersion ?? 'no apiVersion'}; known: ${known}`;
}

/** Five characters stand for those that the API server appends to `metadata.generateName`, as it cuts and appends them. */
export function withGeneratedName(manifest: KubeObject): KubeObject {
  const { name = '', generateName = '' } = manifest.metadata ?? {};
  if (name !== '' || typeof generateName !== 'string' || generateName === '') return manifest;
  return { ...manifest, metadata: { ...manifest.metadata, name: `${generateName.slice(0, 58)}xxxxx` } };
}
