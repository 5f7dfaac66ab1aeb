/**
 * Jobs of two pods that are created for minutes at half the cluster's maximum rate, run to their end and are then deleted: how long a job
 * waits for its first pod, the length of the operator's queue, and whether its heap grows. Heap snapshots are taken after the first minute
 * and at the end, each when all jobs are gone. Nodes are simulated; all else is real.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKubeClient, loadCluster } from '@muster/kube';
import { heapSizes, heapSnapshotFlags, mostGrown, type HeapSizes } from '../heap-snapshot.ts';
import { churnFloor } from '../jobs/churn-floor.ts';
import { churnLoad, type Churn, type ChurnBench, type ChurnSample } from '../jobs/churn-load.ts';
import { histogramPercentile, percentile } from '../percentile.ts';
import { apiServerRequests, metricSums, subtract, total } from '../request-counts.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { cpuSeconds, peakResidentMB, stopServer, type Started } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';
import { measuredKind, type MeasuredKind } from '../training-job.ts';

const PODS_A_JOB = 2;
const TRAINING_MS = 200;
const FLOOR_SECONDS = 30;
const SHARE_OF_FLOOR = 0.5;
const FIRST_SECONDS = 60;
/** Half the floor's rate may overload the cluster, so that all jobs wait for its API server. This rate shows the remaining waits. */
const UNHURRIED = { share: 0.5, seconds: 60 };
/** Until the delayed work after the last job is done. */
const SETTLE_MS = 20_000;
const QUEUE_GOAL_SECONDS = 1;
const FIRST_POD_GOAL_MS = { p50: 25, p99: 250 };
/** Connection caches, compiled code and counters vary; a leak of a kilobyte per job is more than this. */
const GROWTH_GOAL_MB = 2;

export const churn: Scenario = {
  summary: `jobs of ${PODS_A_JOB} pods at half the rate of the floor for 5 minutes (--minutes), created, run and deleted: waits, queue, growth of the heap`,
  defaults: { size: 1, runs: 1, minutes: 5 },
  nodes: () => 30,
  async run(context) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-heap-'));
    const access = await loadCluster({ kubeconfig: context.kubeconfig });
    const client = createKubeClient(access, { userAgent: 'muster-bench' });
    const operator = await startOperator(context, heapSnapshotFlags(folder));
    try {
      return await measure({ access, client, namespace: context.namespace }, operator, folder, context);
    } finally {
      await stopServer(operator.child);
      await client.close();
      await rm(folder, { recursive: true });
    }
  },
};

async function measure(bench: ChurnBench, operator: Started, folder: string, context: BenchContext) {
  const kind = measuredKind(context.framework);
  context.note('churn: the floor');
  const floor = await floorOf(bench, kind);
  const { podsPerSecond } = floor;
  const jobsPerSecond = (podsPerSecond * SHARE_OF_FLOOR) / PODS_A_JOB;
  const load = { kind, pods: PODS_A_JOB, trainingMs: TRAINING_MS, jobsPerSecond };
  const play = async (churned: Churn) => {
    context.note(`churn: ${churned.jobsPerSecond.toFixed(1)} jobs a second for ${churned.seconds} s`);
    const sample = await churnLoad(bench, churned);
    await sleep(SETTLE_MS);
    return sample;
  };
  await play({ ...load, prefix: 'first', seconds: FIRST_SECONDS });
  // A snapshot needs memory itself.
  const peak = Number((await peakResidentMB(operator.child)).toFixed(1));
  const heapBefore = await heapSizes(operator.child, folder);
  // On a busy machine it blocks the operator for so long that the operator loses its Lease.
  await sleep(SETTLE_MS);
  const before = {
    requests: await apiServerRequests(bench.client),
    queue: await queueBuckets(operator.url),
    cpu: await cpuSeconds(operator.child),
  };
  const sample = await play({ ...load, prefix: 'then', seconds: Math.max(context.minutes * 60 - FIRST_SECONDS, 30) });
  const queue = subtract(await queueBuckets(operator.url), before.queue);
  const requests = subtract(await apiServerRequests(bench.client), before.requests);
  const cpu = (await cpuSeconds(operator.child)) - before.cpu;
  const heapAfter = await heapSizes(operator.child, folder);
  await sleep(SETTLE_MS);
  const { share, seconds } = UNHURRIED;
  const unhurried = await play({ ...load, jobsPerSecond: jobsPerSecond * share, prefix: 'last', seconds });
  if (requests['POST pods'] !== sample.jobs * PODS_A_JOB)
    throw new Error(`${requests['POST pods']} pods were created for ${sample.jobs} jobs of ${PODS_A_JOB}`);
  return {
    floorPodsPerSecond: Number(podsPerSecond.toFixed(1)),
    jobsPerSecond: Number(jobsPerSecond.toFixed(1)),
    operatorCpuMsPerJob: Number(((cpu * 1000) / sample.jobs).toFixed(1)),
    peakResidentMBOfFirstMinute: peak,
    requestsPerJob: Number((total(requests) / sample.jobs).toFixed(2)),
    requestsPerFloorPod: Number((total(floor.requests) / (floor.podsPerSecond * FLOOR_SECONDS)).toFixed(2)),
    requestsPerJobByVerb: round(requests, sample.jobs),
    ...figures(sample, queue, { before: heapBefore, after: heapAfter }),
    firstPodMsAtHalfThatRate: round(waits(unhurried), 1, 1),
  };
}

async function floorOf(bench: ChurnBench, kind: MeasuredKind) {
  const before = await apiServerRequests(bench.client);
  const podsPerSecond = await churnFloor(bench, kind, { seconds: FLOOR_SECONDS, trainingMs: TRAINING_MS });
  return { podsPerSecond, requests: subtract(await apiServerRequests(bench.client), before) };
}

function figures(
  sample: ChurnSample,
  queue: Readonly<Record<string, number>>,
  heap: { before: HeapSizes; after: HeapSizes },
) {
  const { jobs, mostJobsAtOnce } = sample;
  const firstPod = waits(sample);
  const queueP99 = histogramPercentile(queue, 0.99) ?? 0;
  const heapMB = { afterFirstMinute: total(heap.before) / 1e6, atTheEnd: total(heap.after) / 1e6 };
  const growthMB = heapMB.atTheEnd - heapMB.afterFirstMinute;
  return {
    jobs,
    mostJobsAtOnce,
    firstPodMs: round(firstPod, 1, 1),
    /** The bound of the histogram bucket that contains it. */
    queueWaitSecondsP99: queueP99,
    heapMB: round({ ...heapMB, growth: growthMB }, 1),
    heapGrownMost: mostGrown(heap.after, heap.before, 8),
    goals: {
      firstPodP50Met: firstPod.p50 <= FIRST_POD_GOAL_MS.p50,
      firstPodP99Met: firstPod.p99 <= FIRST_POD_GOAL_MS.p99,
      queueMet: queueP99 <= QUEUE_GOAL_SECONDS,
      noGrowthMet: growthMB <= GROWTH_GOAL_MB,
    },
  };
}

function waits({ firstPodMs }: ChurnSample) {
  return { p50: percentile(firstPodMs, 0.5), p99: percentile(firstPodMs, 0.99) };
}

function round(values: Readonly<Record<string, number>>, parts: number, digits = 2): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Number((value / parts).toFixed(digits))]),
  );
}

async function queueBuckets(url: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return metricSums(text, 'workqueue_queue_duration_seconds_bucket', ['le']);
}
