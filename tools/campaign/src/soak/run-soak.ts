/** A soak: a steady load without faults. Nothing may grow with the number of jobs that have come and gone. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Progress } from '@muster/cluster';
import { SeededRandom } from '@muster/fault-injection';
import type { Resource } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import type { Exit } from '../history/history.ts';
import { playLoad } from '../load/play-load.ts';
import { type CampaignPlace, type RunSettings, withOperators } from '../run/run-campaign.ts';
import { jobResources, jobsOf, readApiServer } from './api-server-figures.ts';
import type { FigureName, Figures } from './figures.ts';
import { type Comparison, comparisonsOf, type Sample } from './growth.ts';
import { Sampler } from './sampler.ts';
import { steadyLoad } from './steady-load.ts';

export interface SoakResult {
  readonly seed: number;
  readonly minutes: number;
  readonly frameworks: readonly string[];
  readonly kubernetesVersion: string;
  readonly jobs: number;
  /** What users could not do, by reason: also what they did to a job that was gone. */
  readonly refused: Readonly<Record<string, number>>;
  readonly comparisons: readonly Comparison[];
  /** Objects that are left after all jobs were deleted, beyond those before the first. */
  readonly left: Figures;
  /** Processes that ended by themselves. */
  readonly exits: readonly Exit[];
  readonly samples: readonly Sample[];
}

/** Events would otherwise accumulate for an hour. */
export const SOAK_API_SERVER_ARGUMENTS: readonly string[] = ['--event-ttl=1m'];

const INTERVAL_MS = 10_000;
/** Until events expire, all code is compiled and caches are filled. */
const WARM_UP_SHARE = 0.2;
const LEAST_WARM_UP_MS = 75_000;
const EMPTY_LIMIT_MS = 180_000;
const POLL_MS = 2_000;
/** As in the charts: with the short Leases of a campaign a busy machine would change the leader. */
const ELECTION = ['lease-duration=15s', 'renew-deadline=10s', 'retry-period=2s'].map(
  (flag) => `--leader-election-${flag}`,
);
const AT_THE_END: readonly FigureName[] = ['jobs', 'pods', 'Services', 'Leases'];

/** @param settings `faults` is ignored */
export async function runSoak(cluster: Cluster, settings: RunSettings, progress: Progress): Promise<SoakResult> {
  const own = { isInspected: true, flags: ELECTION };
  const quiet = { ...settings, faults: [] };
  return withOperators(cluster, quiet, progress, (place) => soak(place, cluster, settings, progress), own);
}

async function soak(
  place: CampaignPlace,
  { kubernetesVersion }: Cluster,
  settings: RunSettings,
  progress: Progress,
): Promise<SoakResult> {
  const { seed, minutes, frameworks, kinds = frameworks, jobs, mostPods, hasLarge = false } = settings;
  const { hasQueues = false, folder } = settings;
  const forMs = minutes * 60_000;
  const { client, namespaces, etcd, replicas } = place;
  const size = { forMs, jobs, mostPods, hasLarge, kinds, namespaces: namespaces.length };
  const load = steadyLoad(new SeededRandom(seed), size);
  const resources = jobResources(kinds);
  const sampler = new Sampler(place, resources);
  for (const replica of replicas) await replica.ready();
  const before = await readApiServer(client, resources);
  const refused = new Map<string, number>();
  await Promise.all([
    playLoad({ client, namespaces, hasQueues, hasRivals: false, refused }, load),
    takeSamples(sampler, forMs, folder, progress),
  ]);
  const left = await objectsThatStay(place, resources, before);
  if (etcd.failure !== undefined) throw new Error('the changes in etcd are incomplete', { cause: etcd.failure });
  const warmUpMs = Math.max(LEAST_WARM_UP_MS, forMs * WARM_UP_SHARE);
  return {
    ...{ seed, minutes, frameworks, kubernetesVersion, jobs: load.length, refused: Object.fromEntries(refused) },
    ...{ comparisons: comparisonsOf(sampler.samples.filter(({ atMs }) => atMs >= warmUpMs)), left },
    ...{ exits: replicas.flatMap(({ exits }) => exits), samples: sampler.samples },
  };
}

/**
 * Samples are also appended to a file, since a soak of hours may be interrupted. A process that ends while it is read has no sample; its
 * end is reported.
 */
async function takeSamples(sampler: Sampler, forMs: number, folder: string, progress: Progress): Promise<void> {
  const startMs = performance.now();
  for (let atMs = INTERVAL_MS; atMs < forMs; atMs += INTERVAL_MS) {
    await sleep(Math.max(0, startMs + atMs - performance.now()));
    const known = sampler.samples.length;
    await sampler.take(performance.now() - startMs).catch((error: unknown) => {
      progress.note(`no sample after ${Math.round(atMs / 1000)} s: ${String(error)}`);
    });
    const lines = sampler.samples.slice(known).map((sample) => `${JSON.stringify(sample)}\n`);
    await appendFile(join(folder, 'samples.jsonl'), lines.join(''));
  }
}

/** Deletes all jobs, and waits until no more objects are left than before, or for three minutes. */
async function objectsThatStay(
  { client }: CampaignPlace,
  resources: readonly Resource[],
  before: Figures,
): Promise<Figures> {
  for (const [resource, { metadata }] of await jobsOf(client, resources)) {
    const key = { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' };
    await client.delete(resource, key, { propagationPolicy: 'Background' }).catch((error: unknown) => {
      if (!isKubeError(error, 'NotFound')) throw error;
    });
  }
  const limitMs = performance.now() + EMPTY_LIMIT_MS;
  for (;;) {
    const now = await readApiServer(client, resources);
    const left = AT_THE_END.map((figure) => [figure, (now[figure] ?? 0) - (before[figure] ?? 0)] as const);
    const more = left.filter(([, count]) => count > 0);
    if (more.length === 0 || performance.now() > limitMs) return Object.fromEntries(more);
    await sleep(POLL_MS);
  }
}
