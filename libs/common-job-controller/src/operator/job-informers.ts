/** The caches that an operator plans from, and what in them makes it look at a job. */
import { LEASES, NODES, PODS, SERVICES, type KubeObject, type Node } from '@muster/job-api';
import { cacheKey, createInformer, type Cache, type ClusterClient, type Informer, type Logger } from '@muster/kube';
import type { WorkQueue } from '@muster/controller';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { ownerKeyOf, type OwnedKind } from '../owned-resources/owned-resources.ts';
import type { Expectations } from '../reconcile/expectations.ts';
import { operatorSelector } from '../model/labels.ts';
import { BY_NODE, lostSinceMs, nodeOf, trimNode } from '../policies/lost-nodes.ts';
import { BY_JOB, jobKeyOf, type JobCaches } from '../reconcile/observe.ts';
import { trimPod, trimPodOnNode, trimService } from '../pods/trim.ts';
import type { PlanSettings } from '../reconcile/world.ts';

interface Watching {
  readonly client: ClusterClient;
  readonly logger: Logger;
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
  readonly settings: Pick<PlanSettings, 'forceDeletePodsOnLostNodes'>;
}

export function jobInformers(
  { client, logger, namespaces, settings }: Watching,
  adapter: FrameworkAdapter,
  kinds: readonly OwnedKind[],
) {
  const where = { ...(namespaces.length > 0 && { namespaces }), logger };
  const ours = {
    ...where,
    labelSelector: operatorSelector(adapter),
    indexes: { [BY_JOB]: jobKeyOf },
  };
  const annotations = Object.keys(adapter.podAnnotations ?? {});
  const areNodesWatched = settings.forceDeletePodsOnLostNodes === true;
  return {
    jobs: createInformer(client, adapter.resource, where),
    pods: createInformer(client, PODS, {
      ...ours,
      ...(areNodesWatched && { indexes: { ...ours.indexes, [BY_NODE]: nodeOf } }),
      trim: (pod) => (areNodesWatched ? trimPodOnNode : trimPod)(pod, annotations),
    }),
    services: createInformer(client, SERVICES, { ...ours, trim: trimService }),
    nodes: areNodesWatched ? createInformer(client, NODES, { logger, trim: trimNode }) : undefined,
    // Whose it is says the owner, not the label.
    ownedResources: kinds.map((kind) => ({
      kind,
      cache: createInformer(client, kind.resource, {
        ...ours,
        indexes: { [BY_JOB]: ownerKeyOf },
        trim: (object: KubeObject) => kind.trim(object),
      }),
    })),
  };
}

/** One Lease alone, so that a follower sees at once when it is given up. */
export function leaseInformer(
  { client, logger }: Pick<Watching, 'client' | 'logger'>,
  namespace: string,
  name: string,
) {
  return createInformer(client, LEASES, {
    namespaces: [namespace],
    fieldSelector: `metadata.name=${name}`,
    logger,
  });
}

export type JobInformers = ReturnType<typeof jobInformers>;

export function allInformers({ jobs, pods, services, nodes, ownedResources }: JobInformers): Informer<KubeObject>[] {
  return [jobs, pods, services, ...(nodes ? [nodes] : []), ...ownedResources.map(({ cache }) => cache)];
}

/**
 * Whatever happens to a job, to something that it controls or that carries its labels, the job is looked at; each that is
 * there already, at once. Returns the way to end that.
 */
export function enqueueOnChange(caches: JobCaches, queue: WorkQueue, expectations: Expectations): () => void {
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
    watch(caches.pods, jobKeyOf),
    watch(caches.services, jobKeyOf),
    ...caches.ownedResources.map(({ cache }) => watch(cache, ownerKeyOf)),
    ...(caches.nodes ? [watchReadiness(caches, caches.nodes, queue)] : []),
  ];
  return () => ends.forEach((end) => end());
}

/** A node that is lost, or found again, concerns the jobs with pods on it. Its other changes concern nobody. */
function watchReadiness({ pods }: JobCaches, nodes: Cache<Node>, queue: WorkQueue): () => void {
  const addJobsOn = ({ metadata }: Node) =>
    pods
      .byIndex(BY_NODE, metadata?.name ?? '')
      .flatMap(jobKeyOf)
      .forEach((job) => queue.add(job));
  return nodes.subscribe({
    added: addJobsOn,
    updated: (before, node) => {
      if (lostSinceMs(before) !== lostSinceMs(node)) addJobsOn(node);
    },
  });
}
