/** The caches of an operator, and the events in them that trigger reconcile runs. */
import {
  ENDPOINT_SLICES,
  LEASES,
  NODES,
  PODS,
  SERVICES,
  type KubeObject,
  type Node,
  type Pod,
  type Resource,
} from '@muster/job-api';
import { cacheKey, createInformer, type Cache, type ClusterClient, type Informer, type Logger } from '@muster/kube';
import type { WorkQueue } from '@muster/controller';
import type { Registry } from 'prom-client';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { START_PERIOD_MS, deletedPodDelayMs, jobDelayMs, podDelayMs } from './batch-period.ts';
import { InformerPool } from './informer-pool.ts';
import { ownedKinds } from '../children/job-owned-resources.ts';
import type { Expectations } from '../reconcile/expectations.ts';
import type { JobMemory } from '../reconcile/job-memory.ts';
import { statusOf } from '../contract/read-manifest.ts';
import { isFinished } from '../model/conditions.ts';
import type { OwnedKind } from '../model/owned-resources.ts';
import {
  PRIORITY_CLASSES,
  RESOURCE_FLAVORS,
  WORKLOAD_KIND,
  WORKLOAD_PRIORITY_CLASSES,
} from '../queueing/kueue-objects.ts';
import { selectorOf } from '../contract/labels.ts';
import { BY_NODE, lostSinceMs, nodeOf, trimNode } from '../policies/lost-nodes.ts';
import {
  indexOf,
  jobKeysOf,
  ownerKeysOf,
  type JobCaches,
  type QueueingCaches,
  type WatchedKind,
} from '../reconcile/observe.ts';
import { BY_REFERENCE, referenceKey, type Reference } from '../model/reference.ts';
import { trimPod, trimService } from '../pods/trim.ts';
import type { PlanSettings } from '../world/world.ts';

interface Watching {
  readonly client: ClusterClient;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly namespaces: readonly string[];
  readonly settings: Pick<PlanSettings, 'forceDeletePodsOnLostNodes' | 'gang' | 'gangs' | 'kueue'>;
}

export interface JobInformers {
  readonly all: readonly Informer<KubeObject>[];
  readonly kinds: readonly WatchedKind[];
}

/** Kinds share the informers of common resources. */
export function jobInformers(watching: Watching, adapters: readonly FrameworkAdapter[]): JobInformers {
  const pool = new InformerPool();
  const shared: Shared = { watching, adapters, pool };
  // First, because a kind of jobs may be owned or referenced by another kind.
  const jobsOf = adapters.map((adapter) => jobsCache(shared, adapter));
  const kinds = adapters.map((adapter, at) => {
    const jobs = jobsOf[at]!;
    const labelled = labelledLike(shared, adapter);
    const caches: JobCaches = {
      ...{ index: indexOf(adapter), jobs },
      ...childCaches(shared, labelled),
      ownedResources: ownedCaches(shared, adapter, labelled),
      references: referenceCaches(shared, adapter),
      queueing: watching.settings.kueue === true ? queueingCaches(shared) : undefined,
    };
    return { adapter, caches, jobs };
  });
  return { all: pool.all, kinds };
}

interface Shared {
  readonly watching: Watching;
  readonly adapters: readonly FrameworkAdapter[];
  readonly pool: InformerPool;
}

/** Kinds with the same label key. Selectors cannot combine different keys with OR. */
interface Labelled {
  readonly alike: readonly FrameworkAdapter[];
  readonly labelSelector: string;
}

function labelledLike({ adapters }: Shared, { labels }: FrameworkAdapter): Labelled {
  const alike = adapters.filter((other) => other.labels.selector.key === labels.selector.key);
  return { alike, labelSelector: selectorOf(alike) };
}

function jobsCache({ watching, adapters, pool }: Shared, adapter: FrameworkAdapter): Informer<KubeObject> {
  const { lifecycle, resource } = adapter;
  const indexes = { ...referrersOf(adapter), ...indexesOf(adapters, ownerKeysOf) };
  const kept = lifecycle.isOurs && { keep: (job: JobManifest) => lifecycle.isOurs?.(job) !== false };
  return pool.of(resource, () =>
    createInformer(watching.client, resource, { ...scopesOf(watching).where, ...kept, indexes }),
  );
}

function childCaches(
  { watching, adapters, pool }: Shared,
  { alike, labelSelector }: Labelled,
): Pick<JobCaches, 'pods' | 'services' | 'nodes'> {
  const { client, settings } = watching;
  const { where, everywhere } = scopesOf(watching);
  const ours = { ...where, labelSelector, indexes: indexesOf(alike, jobKeysOf) };
  const annotations = adapters.flatMap(({ podAnnotations }) => Object.keys(podAnnotations ?? {}));
  const areNodesWatched = settings.forceDeletePodsOnLostNodes === true;
  const podsCache = () =>
    createInformer(client, PODS, {
      ...ours,
      ...(areNodesWatched && { indexes: { ...ours.indexes, [BY_NODE]: nodeOf } }),
      trim: (pod) => trimPod(pod, annotations),
    });
  const servicesCache = () => createInformer(client, SERVICES, { ...ours, trim: trimService });
  const nodesCache = () => createInformer(client, NODES, { ...everywhere, trim: trimNode });
  return {
    pods: pool.of(PODS, podsCache, labelSelector),
    services: pool.of(SERVICES, servicesCache, labelSelector),
    nodes: areNodesWatched ? pool.of(NODES, nodesCache) : undefined,
  };
}

/** Informers are shared by `OwnedKind`, not by resource, because kinds may keep different parts of an object. */
function ownedCaches(
  shared: Shared,
  adapter: FrameworkAdapter,
  { labelSelector }: Labelled,
): JobCaches['ownedResources'] {
  const { watching, adapters } = shared;
  const { where } = scopesOf(watching);
  const indexes = indexesOf(adapters, ownerKeysOf);
  return watchedKinds(adapter, watching.settings).map((kind) => {
    const labelled = kind.hasOtherLabels === true || kind.isFromOthers === true ? {} : { labelSelector };
    const found = { ...where, ...labelled, indexes, trim: (object: KubeObject) => kind.trim(object) };
    const make = () => createInformer(watching.client, kind.resource, found);
    const cache = ofKind(shared, kind, make, labelled.labelSelector);
    return { kind, cache, isAbsent: () => isAbsent(cache) };
  });
}

function referenceCaches(shared: Shared, { references }: FrameworkAdapter): JobCaches['references'] {
  const { watching } = shared;
  const { where, everywhere } = scopesOf(watching);
  return (references?.kinds ?? []).map((kind) => {
    const scope = kind.resource.namespaced ? where : everywhere;
    const trim = (object: KubeObject) => kind.trim(object);
    return {
      kind,
      cache: ofKind(shared, kind, () => createInformer(watching.client, kind.resource, { ...scope, trim })),
    };
  });
}

/** Resources that the operator runs as jobs have an informer already. */
function ofKind(
  { adapters, pool }: Shared,
  kind: { readonly resource: Resource },
  make: () => Informer<KubeObject>,
  labelSelector?: string,
): Informer<KubeObject> {
  const areJobs = adapters.some(({ resource }) => resource === kind.resource);
  return areJobs ? pool.of(kind.resource, make) : pool.of(kind, make, labelSelector);
}

function watchedKinds(adapter: FrameworkAdapter, { gang, gangs, kueue }: Watching['settings']): OwnedKind[] {
  return [...ownedKinds(adapter, gang, gangs), ...(kueue === true ? [WORKLOAD_KIND as OwnedKind] : [])];
}

/** Their changes take effect at the next run of a job. */
function queueingCaches({ watching, pool }: Shared): QueueingCaches {
  const { everywhere } = scopesOf(watching);
  const cacheOf = <T extends KubeObject>(resource: Resource<T>) =>
    pool.of(resource, () => createInformer(watching.client, resource, { ...everywhere }));
  return {
    flavors: cacheOf(RESOURCE_FLAVORS),
    workloadPriorityClasses: cacheOf(WORKLOAD_PRIORITY_CLASSES),
    priorityClasses: cacheOf(PRIORITY_CLASSES),
  };
}

export function isAbsent({ problem }: Informer<KubeObject>): boolean {
  return problem?.reason === 'NotFound';
}

function scopesOf({ namespaces, registry, logger }: Watching) {
  const everywhere = { registry, logger };
  return { everywhere, where: { ...(namespaces.length > 0 && { namespaces }), ...everywhere } };
}

/** One per kind, because jobs of different kinds may have the same name. */
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

/** A single Lease, so that a follower notices its release at once. */
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
 * Enqueues existing jobs at once, and a job when it, a controlled, labelled or referenced object changes. Changes that
 * can wait are batched (`batch-period.ts`), unless a run was deferred until the caches show earlier writes. Pods
 * deleted while their job runs are recorded in `memory`. Returns the function that unsubscribes.
 */
export function enqueueOnChange(
  { adapter, caches }: WatchedKind,
  queue: WorkQueue,
  { expectations, memory }: { readonly expectations: Expectations; readonly memory: JobMemory },
): () => void {
  const enqueue = (job: string, delayMs: number) => {
    if (delayMs > 0 && !expectations.isAwaited(job)) queue.addAfter(job, delayMs);
    else queue.add(job);
  };
  const watch = <T extends KubeObject>(cache: Cache<T>, keysOf: (child: KubeObject) => string[], delays: Delays<T>) => {
    // Unique, since a key that is handed out at once would be reconciled twice.
    const jobsOf = (...states: readonly T[]) => [...new Set(states.flatMap(keysOf))];
    return cache.subscribe({
      added: (child) => jobsOf(child).forEach((job) => enqueue(job, delays.added(child, job))),
      updated: (before, child) =>
        jobsOf(before, child).forEach((job) => enqueue(job, delays.updated(before, child, job))),
      deleted: (child) => {
        for (const job of keysOf(child)) expectations.noteDeleted(job, child.metadata?.uid ?? '');
        jobsOf(child).forEach((job) => enqueue(job, delays.deleted(child, job)));
      },
    });
  };
  const noteDeleted = (pod: Pod) => {
    if (pod.metadata?.deletionTimestamp === undefined) return;
    for (const key of jobKeysOf(adapter)(pod)) {
      const job = caches.jobs.get(key);
      if (job !== undefined && !isFinished(statusOf(adapter, job))) {
        memory.noteDeleted(key, job.metadata?.uid ?? '', pod);
      }
    }
  };
  const podsOf = (job: string) => ({ labels: adapter.labels, all: caches.pods.byIndex(caches.index, job) });
  const unsubscribes = [
    caches.jobs.subscribe({
      added: (job) => enqueue(cacheKey(job), 0),
      updated: (before, job) => enqueue(cacheKey(job), jobDelayMs(before, job, adapter)),
      deleted: (job) => enqueue(cacheKey(job), 0),
    }),
    caches.pods.subscribe({ deleted: noteDeleted }),
    watch(caches.pods, jobKeysOf(adapter), {
      added: (pod, job) => podDelayMs(undefined, pod, podsOf(job)),
      updated: (before, pod, job) => podDelayMs(before, pod, podsOf(job)),
      deleted: (_pod, job) => deletedPodDelayMs(podsOf(job)),
    }),
    watch(caches.services, jobKeysOf(adapter), AFTER_OWN_WRITES),
    ...caches.ownedResources.map(({ kind, cache }) =>
      watch(cache, ownerKeysOf(adapter), kind.resource === ENDPOINT_SLICES ? AFTER_OWN_WRITES : AT_ONCE),
    ),
    ...caches.references.map(({ kind, cache }) => watchReferenced(caches, kind.resource, cache, queue)),
    ...(caches.nodes ? [watchReadiness(caches, jobKeysOf(adapter), caches.nodes, queue)] : []),
  ];
  return () => unsubscribes.forEach((unsubscribe) => unsubscribe());
}

interface Delays<T> {
  added(child: T, job: string): number;
  updated(before: T, child: T, job: string): number;
  deleted(child: T, job: string): number;
}

const AT_ONCE: Delays<KubeObject> = { added: () => 0, updated: () => 0, deleted: () => 0 };

/** Only Muster writes these resources, and no decision depends on them. */
const AFTER_OWN_WRITES: Delays<KubeObject> = {
  added: () => START_PERIOD_MS,
  updated: () => START_PERIOD_MS,
  deleted: () => 0,
};

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

function watchReadiness(
  { pods }: JobCaches,
  keysOf: (pod: KubeObject) => string[],
  nodes: Cache<Node>,
  queue: WorkQueue,
): () => void {
  const addJobsOn = ({ metadata }: Node) =>
    new Set(pods.byIndex(BY_NODE, metadata?.name ?? '').flatMap(keysOf)).forEach((job) => queue.add(job));
  return nodes.subscribe({
    added: addJobsOn,
    updated: (before, node) => {
      if (lostSinceMs(before) !== lostSinceMs(node)) addJobsOn(node);
    },
  });
}
