/** Builds the World of one job from the caches and the operator's memory. Reads only. */
import type { KubeObject, Node, Pod, Service } from '@muster/job-api';
import type { Cache, Informer } from '@muster/kube';
import type { JobManifest } from '../model/training-job.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { statusOf } from '../contract/read-manifest.ts';
import type { ProbeResults } from '@muster/probes';
import { controllerOf, isOfKind } from '../model/ownership.ts';
import { deletionOf, lossOf, standstillOf, type StateAges } from '../model/state-ages.ts';
import type { OwnedKind } from '../model/owned-resources.ts';
import type { Reference, Referenced, ReferenceKind } from '../model/reference.ts';
import { KUEUE_WORKLOADS, type KueueWorkload } from '../queueing/kueue-objects.ts';
import type { QueueingObjects } from '../model/queueing-objects.ts';
import { agingStatesOf } from '../queueing/slices.ts';
import { loopStates } from '../pods/crash-loop.ts';
import { silentStates } from '../pods/silent-pod.ts';
import { missingPodStates } from '../workloads/missing-pods.ts';
import { lostSinceMs, nodeOf } from '../policies/lost-nodes.ts';
import { recorded } from '../status/own-status.ts';
import type { LostNodes, Remembered, World } from '../world/world.ts';

export function indexOf({ resource }: Pick<FrameworkAdapter, 'resource'>): string {
  return `job of ${resource.plural}.${resource.group}`;
}

/** By labels and by owner: a child may have lost either. */
export function jobKeysOf(adapter: Pick<FrameworkAdapter, 'resource' | 'labels'>): (child: KubeObject) => string[] {
  const owners = ownerKeysOf(adapter);
  return (child) => {
    const { namespace, labels } = child.metadata ?? {};
    const job = adapter.labels.jobOf(labels ?? {});
    const labelled = job === undefined ? [] : [`${namespace}/${job}`];
    return [...new Set([...labelled, ...owners(child)])];
  };
}

/** `namespace/job` of the controlling job of this kind. */
export function ownerKeysOf({ resource }: Pick<FrameworkAdapter, 'resource'>): (child: KubeObject) => string[] {
  return (child) => {
    const controller = controllerOf(child);
    if (controller === undefined || !isOfKind(controller, resource)) return [];
    return [`${child.metadata?.namespace}/${controller.name}`];
  };
}

export interface JobCaches {
  /** The index of pods, Services and owned resources by job. */
  readonly index: string;
  /** Indexed by the objects that they refer to. */
  readonly jobs: Cache<JobManifest>;
  readonly pods: Cache<Pod>;
  readonly services: Cache<Service>;
  /** Undefined if not watched. */
  readonly nodes: Cache<Node> | undefined;
  readonly ownedResources: readonly {
    readonly kind: OwnedKind;
    readonly cache: Cache<KubeObject>;
    /** The cluster does not serve the kind. */
    readonly isAbsent?: () => boolean;
  }[];
  readonly references: readonly { readonly kind: ReferenceKind; readonly cache: Cache<KubeObject> }[];
  /** Undefined if Muster does not queue its jobs. */
  readonly queueing?: QueueingCaches | undefined;
}

export type QueueingCaches = { readonly [Name in keyof QueueingObjects]: Cache<QueueingObjects[Name][number]> };

export interface Known extends Remembered {
  readonly probeResults: ProbeResults;
  readonly nowMs: number;
  readonly ageStates: (states: readonly string[]) => StateAges;
}

/** Undefined if the job is gone, whose children are garbage-collected. */
export function observe(adapter: FrameworkAdapter, caches: JobCaches, job: string, known: Known): World | undefined {
  const manifest = caches.jobs.get(job);
  if (manifest === undefined) return undefined;
  const { ageStates, ...remembered } = known;
  const { index, nodes, queueing } = caches;
  const pods = caches.pods.byIndex(index, job);
  const seen = {
    pods,
    ownedResources: caches.ownedResources.flatMap(({ kind, cache }) =>
      cache.byIndex(index, job).map((object) => ({ kind, object })),
    ),
    references: referencesOf(adapter, caches, manifest),
    lostNodes: nodes && lostNodesOf(pods, nodes),
  };
  return {
    manifest: recorded(adapter, manifest),
    services: caches.services.byIndex(index, job),
    absentKinds: caches.ownedResources.filter(({ isAbsent }) => isAbsent?.()).map(({ kind }) => kind.resource),
    ...seen,
    stateAges: ageStates(agingStates(adapter, manifest, seen)),
    ...(queueing && { queueing: queueingObjects(queueing) }),
    ...remembered,
  };
}

function agingStates(
  adapter: FrameworkAdapter,
  manifest: JobManifest,
  { pods, ownedResources, references, lostNodes }: Pick<World, 'pods' | 'ownedResources' | 'references' | 'lostNodes'>,
): string[] {
  const deleted = [manifest, ...pods].filter(({ metadata }) => metadata?.deletionTimestamp !== undefined);
  const { progress } = statusOf(adapter, manifest);
  const workloads = ownedResources.filter(({ kind }) => kind.resource === KUEUE_WORKLOADS);
  return [
    ...deleted.map(deletionOf),
    ...workloads.flatMap(({ object }) => agingStatesOf(object as KueueWorkload)),
    ...[...(lostNodes ?? [])].map(([node, sinceMs]) => lossOf(node, sinceMs)),
    ...pods.flatMap(loopStates),
    ...pods.flatMap(silentStates),
    ...ownedResources.flatMap((each) => missingPodStates(each, pods)),
    ...(progress?.lastProgressTime === undefined ? [] : [standstillOf(manifest, progress)]),
    ...(adapter.agingStates?.(manifest, pods, { ownedResources, references }) ?? []),
  ];
}

function queueingObjects({ flavors, workloadPriorityClasses, priorityClasses }: QueueingCaches): QueueingObjects {
  return {
    flavors: flavors.list(),
    workloadPriorityClasses: workloadPriorityClasses.list(),
    priorityClasses: priorityClasses.list(),
  };
}

export function referencesOf(adapter: FrameworkAdapter, caches: JobCaches, manifest: JobManifest): Referenced[] {
  return (adapter.references?.of(manifest) ?? []).map((reference) => referenced(caches, manifest, reference));
}

function referenced(caches: JobCaches, { metadata }: JobManifest, reference: Reference): Referenced {
  const { resource, name } = reference;
  const namespace = resource.namespaced ? (reference.namespace ?? metadata?.namespace) : undefined;
  const cache = caches.references.find(({ kind }) => kind.resource === resource)?.cache;
  if (cache === undefined) throw new Error(`${resource.kind} is referred to but not watched`);
  const object = cache.get(namespace === undefined ? name : `${namespace}/${name}`);
  return { ...reference, ...(namespace !== undefined && { namespace }), object };
}

function lostNodesOf(pods: readonly Pod[], nodes: Cache<Node>): LostNodes {
  const lost = new Map<string, number>();
  for (const name of pods.flatMap(nodeOf)) {
    const node = nodes.get(name);
    const sinceMs = node && lostSinceMs(node);
    if (sinceMs !== undefined) lost.set(name, sinceMs);
  }
  return lost;
}

export interface WatchedKind {
  readonly adapter: FrameworkAdapter;
  readonly caches: JobCaches;
  readonly jobs: Informer<KubeObject>;
}
