/** The caches of an operator, and the events in them that trigger reconcile runs. */
import {
  isFinished,
  type KubeObject,
  type Node,
  NODES,
  type Pod,
  PODS,
  type Resource,
  SERVICES,
} from '@muster/job-api';
import { cacheKey, type Cache, type Informer, type InformerOptions } from '@muster/kube';
import type { WorkQueue } from '@muster/controller';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { BATCH_PERIOD_MS, deletedPodDelayMs, jobDelayMs, ownedDelayMs, podDelayMs } from './reconcile-pace.ts';
import { InformerPool, isAbsent, type Watching } from './informer-pool.ts';
import { ownedKinds } from '../children/job-owned-resources.ts';
import type { Expectations } from '../reconcile/expectations.ts';
import type { JobMemory } from '../reconcile/job-memory.ts';
import { statusOf } from '../contract/read-manifest.ts';
import type { OwnedKind } from '../model/owned-resources.ts';
import { QUEUEING_RESOURCES, WORKLOAD_KIND } from '../queueing/kueue-objects.ts';
import { selectorOf } from '../contract/labels.ts';
import { BY_NODE, lostSinceMs, nodeOf, trimNode } from '../policies/lost-nodes.ts';
import { indexOf, jobKeysOf, ownerKeysOf, type JobCaches, type WatchedKind } from '../reconcile/observe.ts';
import { BY_REFERENCE, referenceKey, type Reference } from '../model/reference.ts';
import { trimPod, trimService } from '../pods/trim.ts';
import type { PlanSettings } from '../world/world.ts';

interface InformerSettings extends Pick<PlanSettings, 'forceDeletePodsOnLostNodes' | 'gang' | 'gangs' | 'kueue'> {
  /** Whether jobs may own objects without Muster's labels. Default: the operator adds the labels. */
  readonly ownUnlabelled?: boolean;
}

interface Shared {
  readonly pool: InformerPool;
  readonly adapters: readonly FrameworkAdapter[];
  readonly settings: InformerSettings;
}

/** Kinds share the informers of common resources. */
export function jobInformers(
  watching: Watching & { readonly settings: InformerSettings },
  adapters: readonly FrameworkAdapter[],
) {
  const { settings } = watching;
  const pool = new InformerPool(watching);
  const shared: Shared = { pool, adapters, settings };
  // First, because a kind of jobs may be owned or referenced by another kind.
  const jobsOf = adapters.map((adapter) => jobsInformer(shared, adapter));
  const kinds = adapters.map((adapter, at): WatchedKind => {
    const jobs = jobsOf[at]!;
    // Kinds with the same label key. Selectors cannot combine different keys with OR.
    const alike = adapters.filter(({ labels }) => labels.selector.key === adapter.labels.selector.key);
    const labelSelector = selectorOf(alike);
    const caches: JobCaches = {
      ...{ index: indexOf(adapter), jobs },
      ...childCaches(shared, alike, labelSelector),
      ownedResources: ownedCaches(shared, adapter, labelSelector),
      references: (adapter.references?.kinds ?? []).map((kind) => ({ kind, cache: ofKind(shared, kind) })),
      // Their changes take effect at the next run of a job.
      queueing:
        settings.kueue === true
          ? {
              flavors: pool.of(QUEUEING_RESOURCES.flavors),
              workloadPriorityClasses: pool.of(QUEUEING_RESOURCES.workloadPriorityClasses),
              priorityClasses: pool.of(QUEUEING_RESOURCES.priorityClasses),
            }
          : undefined,
    };
    return { adapter, caches, jobs };
  });
  return { all: pool.all, kinds };
}

function jobsInformer({ pool, adapters }: Shared, adapter: FrameworkAdapter): Informer<KubeObject> {
  const { lifecycle, resource } = adapter;
  const indexes = { ...referrersOf(adapter), ...indexesOf(adapters, ownerKeysOf) };
  const kept = lifecycle.isOurs && { keep: (job: JobManifest) => lifecycle.isOurs?.(job) !== false };
  return pool.of(resource, { ...kept, indexes });
}

function childCaches(
  { pool, adapters, settings }: Shared,
  alike: readonly FrameworkAdapter[],
  labelSelector: string,
): Pick<JobCaches, 'pods' | 'services' | 'nodes'> {
  const indexes = indexesOf(alike, jobKeysOf);
  const annotations = adapters.flatMap(({ podAnnotations }) => Object.keys(podAnnotations ?? {}));
  const areNodesWatched = settings.forceDeletePodsOnLostNodes === true;
  return {
    pods: pool.of(PODS, {
      labelSelector,
      indexes: { ...indexes, ...(areNodesWatched && { [BY_NODE]: nodeOf }) },
      trim: (pod) => trimPod(pod, annotations),
    }),
    services: pool.of(SERVICES, { labelSelector, indexes, trim: trimService }),
    nodes: areNodesWatched ? pool.of(NODES, { trim: trimNode }) : undefined,
  };
}

function ownedCaches(shared: Shared, adapter: FrameworkAdapter, labelSelector: string): JobCaches['ownedResources'] {
  const { adapters, settings } = shared;
  const indexes = indexesOf(adapters, ownerKeysOf);
  const ofKueue = settings.kueue === true ? [WORKLOAD_KIND as OwnedKind] : [];
  return [...ownedKinds(adapter, settings.gang, settings.gangs), ...ofKueue].map((kind) => {
    const isLabelled = kind.hasOtherLabels !== true && kind.isFromOthers !== true;
    const own = settings.ownUnlabelled === true ? { keep: isOwnedBy(adapters) } : { labelSelector };
    const cache = ofKind(shared, kind, { indexes, ...(isLabelled && own) });
    return { kind, cache, isAbsent: () => isAbsent(cache) };
  });
}

function isOwnedBy(adapters: readonly FrameworkAdapter[]): (object: KubeObject) => boolean {
  const owners = adapters.map(ownerKeysOf);
  return (object) => owners.some((keysOf) => keysOf(object).length > 0);
}

/**
 * Shared by kind, not by resource, because kinds may keep different parts of an object. Resources that the operator runs as jobs have an
 * informer already.
 */
function ofKind(
  { pool, adapters }: Shared,
  kind: Pick<OwnedKind, 'resource' | 'trim'>,
  options: InformerOptions<KubeObject> = {},
): Informer<KubeObject> {
  const areJobs = adapters.some(({ resource }) => resource === kind.resource);
  if (areJobs) return pool.of(kind.resource);
  return pool.of(kind.resource, { ...options, trim: (object) => kind.trim(object) }, kind);
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

/**
 * Enqueues existing jobs at once, and a job when it, a controlled, labelled or referenced object changes. Changes that
 * can wait are batched (`reconcile-pace.ts`), unless a run was deferred until the caches show earlier writes. Pods
 * deleted while their job runs are recorded in `memory`. Returns the function that unsubscribes.
 */
export function enqueueOnChange(
  { adapter, caches }: WatchedKind,
  queue: WorkQueue,
  { expectations, memory }: { readonly expectations: Expectations; readonly memory: JobMemory },
): () => void {
  const keysOf = jobKeysOf(adapter);
  const enqueue = (job: string, delayMs: number) => {
    if (delayMs > 0 && !expectations.isAwaited(job)) queue.addAfter(job, delayMs);
    else queue.add(job);
  };
  /** `before` is undefined for a new object. */
  const watch = <T extends KubeObject>(
    cache: Cache<T>,
    jobKeys: (child: KubeObject) => string[],
    delayMs: (job: string, child: T, before?: T) => number,
    deletedDelayMs: (job: string) => number = () => 0,
  ) => {
    // Unique, since a key that is handed out at once would be reconciled twice.
    const jobsOf = (...states: readonly T[]) => [...new Set(states.flatMap(jobKeys))];
    return cache.subscribe({
      added: (child) => jobsOf(child).forEach((job) => enqueue(job, delayMs(job, child))),
      updated: (before, child) => jobsOf(before, child).forEach((job) => enqueue(job, delayMs(job, child, before))),
      deleted: (child) => {
        for (const job of jobKeys(child)) expectations.noteDeleted(job, child.metadata?.uid ?? '');
        jobsOf(child).forEach((job) => enqueue(job, deletedDelayMs(job)));
      },
    });
  };
  const rememberDeleted = (pod: Pod) => {
    // A pod that has ended is removed at once, without a deletionTimestamp.
    if (pod.metadata?.deletionTimestamp === undefined && pod.status?.phase !== 'Succeeded') return;
    for (const key of keysOf(pod)) {
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
    caches.pods.subscribe({ deleted: rememberDeleted }),
    watch(
      caches.pods,
      keysOf,
      (job, pod, before) => podDelayMs(before, pod, podsOf(job)),
      (job) => deletedPodDelayMs(podsOf(job)),
    ),
    // Changes of Services can wait, deletions are handled at once.
    watch(caches.services, keysOf, () => BATCH_PERIOD_MS),
    ...caches.ownedResources.map(({ kind, cache }) =>
      watch(cache, ownerKeysOf(adapter), (_job, object, before) => ownedDelayMs(kind, before, object)),
    ),
    ...caches.references.map(({ kind, cache }) => watch(cache, jobsReferringTo(kind.resource, caches), () => 0)),
    ...(caches.nodes ? [watchReadiness(caches, keysOf, caches.nodes, queue)] : []),
  ];
  return () => unsubscribes.forEach((unsubscribe) => unsubscribe());
}

function jobsReferringTo(resource: Resource, { jobs }: JobCaches) {
  return ({ metadata: { namespace, name = '' } = {} }: KubeObject) =>
    jobs.byIndex(BY_REFERENCE, referenceKey(resource, namespace, name)).map(cacheKey);
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
