/** Gathers the World of one job out of the caches and the operator's memory. Reads only. */
import { LABELS, type KubeObject, type Node, type Pod, type Service } from '@muster/job-api';
import type { Cache } from '@muster/kube';
import type { JobManifest } from '../model/training-job.ts';
import { ownerKeyOf, type OwnedKind } from '../owned-resources/owned-resources.ts';
import type { Remembered } from './job-memory.ts';
import { lostSinceMs, nodeOf, type LostNodes } from '../policies/lost-nodes.ts';
import { withOwnStatus } from '../status/own-status.ts';
import type { World } from './world.ts';

/** The index under which children are found by their job, and its function. */
export const BY_JOB = 'job';

/**
 * `namespace/job`, from the labels of a child: so it finds those that no owner reference leads to. And from its owner: so
 * it finds those that have lost their labels, too.
 */
export function jobKeyOf(child: KubeObject): string[] {
  const { namespace, labels } = child.metadata ?? {};
  const job = labels?.[LABELS.jobName];
  return [...new Set([...(job === undefined ? [] : [`${namespace}/${job}`]), ...ownerKeyOf(child)])];
}

export interface JobCaches {
  readonly jobs: Cache<JobManifest>;
  readonly pods: Cache<Pod>;
  readonly services: Cache<Service>;
  /** Undefined where nodes are not watched. */
  readonly nodes: Cache<Node> | undefined;
  /** Indexed by owner, see `ownerKeyOf`. */
  readonly ownedResources: readonly { readonly kind: OwnedKind; readonly cache: Cache<KubeObject> }[];
}

/** Undefined when the job is gone; the garbage collector then sees to its children. */
export function observe(caches: JobCaches, job: string, remembered: Remembered, nowMs: number): World | undefined {
  const manifest = caches.jobs.get(job);
  if (manifest === undefined) return undefined;
  const pods = caches.pods.byIndex(BY_JOB, job);
  return {
    manifest: withOwnStatus(manifest),
    pods,
    services: caches.services.byIndex(BY_JOB, job),
    ownedResources: caches.ownedResources.flatMap(({ kind, cache }) =>
      cache.byIndex(BY_JOB, job).map((object) => ({ kind, object })),
    ),
    lostNodes: caches.nodes && lostNodesOf(pods, caches.nodes),
    ...remembered,
    nowMs,
  };
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
