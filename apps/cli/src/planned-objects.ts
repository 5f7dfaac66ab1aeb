/**
 * The objects that an operator would create for a job, computed without a cluster by the operator's own functions. It is the
 * first reconcile run of a new job, without what the API server adds (UIDs, defaults of pods).
 */
import { nextCronRun, servicesWhenReady, submitterWhenReady } from '@muster/adapter-ray';
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
  problemsOf,
  RAY_CLUSTERS,
  RAY_CRON_JOBS,
  RAY_JOBS,
  RAY_SERVICES,
  rayClusterDefinition,
  unknownFields,
  unknownAnnotations,
  withoutNullFields,
  type FieldProblem,
  type KubeObject,
  type RayCluster,
  type RayCronJob,
  type RayJob,
  type RayService,
  VOLCANO_JOBS,
} from '@muster/job-api';
import { FRAMEWORK_PLUGINS } from '@muster/volcano-job';
import { apiVersionsOf, KINDS } from './kinds.ts';
import { plannedKindOf } from './planned-kinds.ts';
import { unknownKubernetesFields } from './kubernetes-fields.ts';
import { jobMetadataProblems } from './validation/metadata-problems.ts';
import { refusedObjects } from './validation/refused-objects.ts';

export interface PlanOptions extends PlanSettings {
  /** Of jobs without a namespace. */
  readonly namespace: string;
  /** All manifests that are planned together, where the RayCluster of a job may be found. Default: none. */
  readonly manifests?: readonly KubeObject[];
  /** The time from which the next run of a RayCronJob is computed. Default: now. */
  readonly nowMs?: number;
}

export type PlannedJob = { readonly objects: readonly KubeObject[] } | { readonly problems: readonly string[] };

interface Later {
  /** Objects created when those of `objects` that they depend on are ready. */
  readonly objects: (job: JobManifest, objects: readonly KubeObject[], options: PlanOptions) => KubeObject[];
  /** Messages about objects that do not follow from the manifests. */
  readonly unplanned: (job: JobManifest, options: PlanOptions) => string[];
}

/** Kinds with objects that the first reconcile run does not create. */
const LATER: Readonly<Record<string, Later>> = {
  [RAY_JOBS.kind]: { objects: submitterOf, unplanned: unplannedSubmitter },
  [RAY_CRON_JOBS.kind]: { objects: runsOf, unplanned: () => [] },
  [RAY_SERVICES.kind]: { objects: servicesOf, unplanned: () => [] },
};

/** In place of the job's UID, which the API server sets. */
const NO_UID = '00000000-0000-0000-0000-000000000000';

/**
 * The objects of a job in the order of their creation, including the objects of those that are jobs themselves; or all of its
 * problems, also those that the API server finds. For a suspended job, the objects after it is resumed.
 */
export function plannedObjects(written: object, options: PlanOptions): PlannedJob {
  const planned = objectsOrProblems(written, options);
  const ofMetadata = jobMetadataProblems(written);
  if ('problems' in planned) return { problems: withoutRepeated([...planned.problems, ...lines(ofMetadata)]) };
  const problems = ofMetadata.length > 0 ? ofMetadata : refusedObjects(written, planned.objects);
  return problems.length > 0 ? { problems: lines(problems) } : planned;
}

/** The first problem of each path. */
function withoutRepeated(problems: readonly string[]): string[] {
  const pathOf = (problem: string) => problem.slice(0, problem.indexOf(': '));
  return problems.filter((problem, at) => problems.findIndex((other) => pathOf(other) === pathOf(problem)) === at);
}

function lines(problems: readonly FieldProblem[]): string[] {
  return problems.map(({ path, message }) => `${path}: ${message}`);
}

function objectsOrProblems(written: object, options: PlanOptions): PlannedJob {
  const kind = plannedKindOf(written);
  if (kind === undefined) return { problems: [unknownKind(written)] };
  const { definition } = kind;
  const adapter = kind.adapter(options);
  const manifest = withoutNullFields(definition, written);
  // The adapter reads fields that have defaults. Without an admission there are none, and it has the same problems.
  const isAdmitted = problemsOf(definition, manifest).length === 0;
  const stored: JobManifest = isAdmitted ? admitted(definition, manifest) : manifest;
  const problems = [...annotationProblems(manifest), ...manifestProblems(adapter, stored)];
  if (problems.length > 0) return { problems: lines(problems) };

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

/** Without `spec.suspend`, which the adapters of some kinds plan by. */
function resumed(job: JobManifest): JobManifest {
  return 'suspend' in Object(job.spec) ? { ...job, spec: { ...job.spec, suspend: false } } : job;
}

/** Each of `objects`, followed by its own objects if its kind can be planned. */
function withTheirObjects(objects: readonly KubeObject[], options: PlanOptions): PlannedJob {
  const planned = objects.map((object) =>
    plannedKindOf(object) === undefined ? { objects: [] } : objectsOrProblems(object, options),
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

/** The RayCluster that the job selects, if it is among the manifests. */
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

/** The RayJob of the next run. Its own objects follow, as for any planned job. */
function runsOf(job: JobManifest, _objects: readonly KubeObject[], { nowMs = Date.now() }: PlanOptions): KubeObject[] {
  const run = nextCronRun(job as RayCronJob, nowMs);
  return run === undefined ? [] : [run];
}

/** The Services, which are created when the applications run. */
function servicesOf(job: JobManifest, objects: readonly KubeObject[], options: PlanOptions): KubeObject[] {
  const cluster = objects.find(({ kind }) => kind === RAY_CLUSTERS.kind) as RayCluster | undefined;
  return cluster === undefined ? [] : servicesWhenReady(job as RayService, cluster, options);
}

function unplannedSubmitter(job: JobManifest, options: PlanOptions): string[] {
  const { metadata, spec } = job as RayJob;
  if (spec.clusterSelector === undefined) return [];
  const cluster = `RayCluster ${spec.clusterSelector['ray.io/cluster']}`;
  if (spec.submissionMode !== 'K8sJobMode')
    return [`spec.clusterSelector: the job uses the existing ${cluster}: no object is created`];
  if (selectedCluster(job as RayJob, options) !== undefined) return [];
  return [
    `spec.clusterSelector: the submitter, Job ${metadata?.name}, is not shown: its image and address come from ${cluster}. Add that object to the file`,
  ];
}

/** Warnings about a valid manifest: fields without effect, likely failures, and objects that its plan lacks. */
export function warnings(manifest: object, options: PlanOptions): string[] {
  const kind = plannedKindOf(manifest);
  if (kind === undefined) return [];
  const job = admitted(kind.definition, manifest);
  const adapter = kind.adapter(options);
  const found = [...(adapter.warnings?.(job) ?? []), ...lostByMultiKueue(adapter, job)];
  const unplanned = LATER[kind.definition.resource.kind]?.unplanned(job, options) ?? [];
  return [...lines(found), ...unplanned];
}

/**
 * Parts of the manifest that are ignored: unknown fields, also in pod templates, and unknown annotations of Muster.
 */
export function ignoredParts(manifest: object): string[] {
  const kind = plannedKindOf(manifest);
  if (kind === undefined) return [];
  const unread = [
    ...unknownAnnotations(manifest),
    ...unknownFields(kind.definition, manifest, unknownKubernetesFields),
  ];
  return lines(unread);
}

function unknownKind({ apiVersion, kind }: KubeObject): string {
  if (apiVersion === apiVersionOf(VOLCANO_JOBS))
    return `spec.plugins: no plugin names a framework (${FRAMEWORK_PLUGINS.join(', ')}): Volcano's own controller runs this ${kind}`;
  const known = KINDS.map(
    ({ definition }) => `${definition.resource.kind} of ${apiVersionsOf(definition).join(' or ')}`,
  ).join(', ');
  return `apiVersion, kind: no operator runs ${kind ?? 'an object without kind'} of ${apiVersion ?? 'no apiVersion'}; supported: ${known}`;
}

/** With five placeholder characters where the API server completes `metadata.generateName`, which it truncates like this. */
export function withGeneratedName(manifest: KubeObject): KubeObject {
  const { name = '', generateName = '' } = manifest.metadata ?? {};
  if (name !== '' || typeof generateName !== 'string' || generateName === '') return manifest;
  return { ...manifest, metadata: { ...manifest.metadata, name: `${generateName.slice(0, 58)}xxxxx` } };
}
