/** The caches that an operator plans from, and what in them makes it look at a job. */
import { LEASES, NODES, PODS, SERVICES, type KubeObject, type Node, type Resource } from '@muster/job-api';
import { cacheKey, createInformer, type Cache, type ClusterClient, type Informer, type Logger } from '@muster/kube';
import type { WorkQueue } from '@muster/controller';
import type { Registry } from 'prom-client';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { ownedKinds } from '../owned-resources/job-owned-resources.ts';
import type { Expectations } from '../reconcile/expectations.ts';
import type { OwnedKind } from '../owned-resources/owned-resources.ts';
import {
  PRIORITY_CLASSES,
  RESOURCE_FLAVORS,
  WORKLOAD_KIND,
  WORKLOAD_PRIORITY_CLASSES,
} from '../queueing/kueue-objects.ts';
import { selectorOf } from '../model/labels.ts';
import { BY_NODE, lostSinceMs, nodeOf, trimNode } from '../policies/lost-nodes.ts';
import { indexOf, jobKeysOf, ownerKeysOf, type JobCaches, type QueueingCaches } from '../reconcile/observe.ts';
import { BY_REFERENCE, referenceKey, type Reference } from '../references/reference.ts';
import { trimPod, trimService } from '../pods/trim.ts';
import type { PlanSettings } from '../reconcile/world.ts';

interface Watching {
  readonly client: ClusterClient;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
  readonly settings: Pick<PlanSettings, 'forceDeletePodsOnLostNodes' | 'gang' | 'gangs' | 'kueue'>;
}

/** A kind of jobs and the caches that its jobs are planned from. */
export interface WatchedKind {
  readonly adapter: FrameworkAdapter;
  readonly caches: JobCaches;
  readonly jobs: Informer<KubeObject>;
}

export interface JobInformers {
  /** Each once, whatever the number of kinds that read it. */
  readonly all: readonly Informer<KubeObject>[];
  readonly kinds: readonly WatchedKind[];
}

/** Of an operator that runs jobs of all these kinds: what is no kind's own they share. */
export function jobInformers(watching: Watching, adapters: readonly FrameworkAdapter[]): JobInformers {
  const { client, settings } = watching;
  const { where, everywhere } = scopesOf(watching);
  const all: Informer<KubeObject>[] = [];
  const known = new Map<unknown, Map<string, Informer<KubeObject>>>();
  const shared = <T extends KubeObject>(what: unknown, make: () => Informer<T>, labelSelector = ''): Informer<T> => {
    const ofWhat = known.get(what) ?? new Map<string, Informer<KubeObject>>();
    known.set(what, ofWhat);
    const informer = (ofWhat.get(labelSelector) as Informer<T> | undefined) ?? make();
    if (!ofWhat.has(labelSelector)) all.push(informer);
    ofWhat.set(labelSelector, informer);
    return informer;
  };
  // No selector finds what has the one label or the other.
  const byLabel = Map.groupBy(adapters, ({ labels }) => labels.selector.key);
  const owners = indexesOf(adapters, ownerKeysOf);
  const annotations = adapters.flatMap(({ podAnnotations }) => Object.keys(podAnnotations ?? {}));
  const areNodesWatched = settings.forceDeletePodsOnLostNodes === true;
  // Before all else: a kind of jobs may be what another kind owns, or refers to.
  const jobsOf = adapters.map((adapter) =>
    shared(adapter.resource, () =>
      createInformer(client, adapter.resource, {
        ...where,
        ...(adapter.lifecycle.isOurs && { keep: adapter.lifecycle.isOurs }),
        indexes: { ...referrersOf(adapter), ...owners },
      }),
    ),
  );
  const areJobs = new Set<Resource>(adapters.map(({ resource }) => resource));
  const informerOf = (kind: { readonly resource: Resource }, make: () => Informer<KubeObject>, labelSelector = '') =>
    areJobs.has(kind.resource) ? shared(kind.resource, make) : shared(kind, make, labelSelector);
  const kinds = adapters.map((adapter, at) => {
    const jobs = jobsOf[at]!;
    const alike = byLabel.get(adapter.labels.selector.key) ?? [];
    const labelSelector = selectorOf(alike);
    const ours = { ...where, labelSelector, indexes: indexesOf(alike, jobKeysOf) };
    const pods = shared(
      PODS,
      () =>
        createInformer(client, PODS, {
          ...ours,
          ...(areNodesWatched && { indexes: { ...ours.indexes, [BY_NODE]: nodeOf } }),
          trim: (pod) => trimPod(pod, annotations),
        }),
      labelSelector,
    );
    const services = shared(
      SERVICES,
      () => createInformer(client, SERVICES, { ...ours, trim: trimService }),
      labelSelector,
    );
    const nodes = areNodesWatched
      ? shared(NODES, () => createInformer(client, NODES, { ...everywhere, trim: trimNode }))
      : undefined;
    // Whose it is says the owner, not the label. Kinds may keep different parts of the same objects.
    const ownedResources = watchedKinds(adapter, settings).map((kind) => {
      const labelled = kind.hasOtherLabels === true ? {} : { labelSelector };
      const found = { ...where, ...labelled, indexes: owners, trim: (object: KubeObject) => kind.trim(object) };
      const cache = informerOf(kind, () => createInformer(client, kind.resource, found), labelled.labelSelector);
      return { kind, cache, isAbsent: () => isAbsent(cache) };
    });
    const references = (adapter.references?.kinds ?? []).map((kind) => ({
      kind,
      cache: informerOf(kind, () =>
        createInformer(client, kind.resource, {
          ...(kind.resource.namespaced ? where : everywhere),
          trim: (object) => kind.trim(object),
        }),
      ),
    }));
    const queueing: QueueingCaches | undefined = settings.kueue === true ? queueingCaches(shared, watching) : undefined;
    const index = indexOf(adapter);
    const caches: JobCaches = { index, jobs, pods, services, nodes, ownedResources, references, queueing };
    return { adapter, caches, jobs };
  });
  return { all, kinds };
}

function watchedKinds(adapter: FrameworkAdapter, { gang, gangs, kueue }: Watching['settings']): OwnedKind[] {
  return [...ownedKinds(adapter, gang, gangs), ...(kueue === true ? [WORKLOAD_KIND as OwnedKind] : [])];
}

/** Small, and in no namespace; what changes in them meets a job when it is looked at next. */
function queueingCaches(
  shared: <T extends KubeObject>(key: unknown, make: () => Informer<T>) => Informer<T>,
  watching: Watching,
): QueueingCaches {
  const { everywhere } = scopesOf(watching);
  const cacheOf = <T extends KubeObject>(resource: Resource<T>) =>
    shared(resource, () => createInformer(watching.client, resource, { ...everywhere }));
  return {
    flavors: cacheOf(RESOURCE_FLAVORS),
    workloadPriorityClasses: cacheOf(WORKLOAD_PRIORITY_CLASSES),
    priorityClasses: cacheOf(PRIORITY_CLASSES),
  };
}

/** Whether the cluster does not serve it. */
export function isAbsent({ problem }: Informer<KubeObject>): boolean {
  return problem?.reason === 'NotFound';
}

/** Of what is watched in the operator's namespaces, and of what is in none or is looked for in all. */
function scopesOf({ namespaces, registry, logger }: Watching) {
  const everywhere = { registry, logger };
  return { everywhere, where: { ...(namespaces.length > 0 && { namespaces }), ...everywhere } };
}

/** One for each kind: its jobs may have the names of another kind's. */
function indexesOf(
  adapters: readonly FrameworkAdapter[],
  keysOf: (adapter: FrameworkAdapter) => (child: KubeObject) => string[],
): Record<string, (child: KubeObject) => string[]> {
  return Object.fromEntries(adapters.map((adapter) => [indexOf(adapter), keysOf(adapter)] as const));
}

function referrersOf({ references }: FrameworkAdapter): Record<string, (job: JobManifest) => string[]> {
  if (references === undefined) return {};
  const keyOf =
    (job: JobManifest) =>
    ({ resource, namespace, name }: Reference) =>
      referenceKey(resource, resource.namespaced ? (namespace ?? job.metadata?.namespace) : undefined, name);
  return { [BY_REFERENCE]: (job) => references.of(job).map(keyOf(job)) };
}

/** One Lease alone, so that a follower sees at once when it is given up. */
export function leaseInformer(
  { client, registry, logger }: Pick<Watching, 'client' | 'registry' | 'logger'>,
  namespace: string,
  name: string,
) {
  return createInformer(client, LEASES, {
    namespaces: [namespace],
    fieldSelector: `metadata.name=${name}`,
    registry,
    logger,
  });
}

/**
 * Whatever happens to a job, to something that it controls, that carries its labels or that its spec refers to, the job is looked
 * at; each that is there already, at once. Returns the way to end that.
 */
export function enqueueOnChange(
  { adapter, caches }: WatchedKind,
  queue: WorkQueue,
  expectations: Expectations,
): () => void {
  const addJob = (job: KubeObject) => queue.add(cacheKey(job));
  const watch = (cache: Cache<KubeObject>, keysOf: (child: KubeObject) => string[]) => {
    const addJobOf = (child: KubeObject) => keysOf(child).forEach((job) => queue.add(job));
    return cache.subscribe({
      added: addJobOf,
      updated: (before, child) => {
        addJobOf(before);
        addJobOf(child);
      },
      deleted: (child) => {
        for (const job of keysOf(child)) expectations.noteDeleted(job, child.metadata?.uid ?? '');
        addJobOf(child);
      },
    });
  };
  const ends = [
    caches.jobs.subscribe({ added: addJob, updated: (_before, job) => addJob(job), deleted: addJob }),
    watch(caches.pods, jobKeysOf(adapter)),
    watch(caches.services, jobKeysOf(adapter)),
    ...caches.ownedResources.map(({ cache }) => watch(cache, ownerKeysOf(adapter))),
    ...caches.references.map(({ kind, cache }) => watchReferenced(caches, kind.resource, cache, queue)),
    ...(caches.nodes ? [watchReadiness(caches, jobKeysOf(adapter), caches.nodes, queue)] : []),
  ];
  return () => ends.forEach((end) => end());
}

/** What jobs refer to concerns those that do. */
function watchReferenced(
  { jobs }: JobCaches,
  resource: Resource,
  cache: Cache<KubeObject>,
  queue: WorkQueue,
): () => void {
  const addReferrers = ({ metadata }: KubeObject) =>
    jobs
      .byIndex(BY_REFERENCE, referenceKey(resource, metadata?.namespace, metadata?.name ?? ''))
      .forEach((job) => queue.add(cacheKey(job)));
  return cache.subscribe({
    added: addReferrers,
    updated: (_before, object) => addReferrers(object),
    deleted: addReferrers,
  });
}

/** A node that is lost, or found again, concerns the jobs with pods on it. Its other changes concern nobody. */
function watchReadiness(
  { pods }: JobCaches,
  keysOf: (pod: KubeObject) => string[],
  nodes: Cache<Node>,
  queue: WorkQueue,
): () => void {
  const addJobsOn = ({ metadata }: Node) =>
    pods
      .byIndex(BY_NODE, metadata?.name ?? '')
      .flatMap(keysOf)
      .forEach((job) => queue.add(job));
  return nodes.subscribe({
    added: addJobsOn,
    updated: (before, node) => {
      if (lostSinceMs(before) !== lostSinceMs(node)) addJobsOn(node);
    },
  });
}
