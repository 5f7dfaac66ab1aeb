/**
 * Whether a cluster that scales delays another: how long a small one takes until it is ready, alone and while a large one gets its workers.
 */
import { RAY_CLUSTERS, type RayCluster } from '@muster/job-api';
import type { Milestones } from '../milestones.ts';
import { CLUSTER_LABEL, clustersOf, clustersPath, podsOf, type RayBench } from './ray-bench.ts';
import { rayCluster } from './ray-cluster-manifest.ts';

/** Seconds since the request that made the small cluster. */
interface SmallTimes {
  /** Both pods exist: this part depends only on the operator. */
  readonly created: number;
  /** The cluster is ready: this part depends on scheduler and nodes as well. */
  readonly ready: number;
}

export interface BesideSample {
  readonly alone: SmallTimes;
  readonly beside: SmallTimes;
  /** From the change of `replicas` until all workers of the large cluster are ready. */
  readonly scaledSeconds: number;
  /** Whether the small one was ready before the large one. */
  readonly overtook: boolean;
}

export async function besideScaling(bench: RayBench, name: string, workers: number): Promise<BesideSample> {
  const { client, raw, namespace } = bench;
  const path = clustersPath(namespace);
  const large = `${name}-large`;
  await using clusters = await clustersOf(bench);
  await using largePods = await podsOf(bench, `${CLUSTER_LABEL}=${large}`);
  await using allPods = await podsOf(bench, CLUSTER_LABEL);
  const { times: alone } = await smallCluster(bench, clusters, `${name}-alone`);

  await Promise.all([
    clusters.when('the large cluster has its first worker', (all) => readyWorkers(all, large) === 1),
    raw.post(path, rayCluster(namespace, large, 1)),
  ]);
  const startMs = performance.now();
  const replicas = [{ op: 'replace', path: '/spec/workerGroupSpecs/0/replicas', value: workers }];
  const [scaledMs, small] = await Promise.all([
    clusters.when('the large cluster has all of its workers', (all) => readyWorkers(all, large) === workers),
    // In the middle of the scaling, so that the operator is busy throughout.
    largePods
      .when('a quarter of the workers are created', (all) => all.length > workers / 4)
      .then(() => smallCluster(bench, clusters, `${name}-beside`)),
    client.patch(RAY_CLUSTERS, { namespace, name: large }, replicas, { type: 'json' }),
  ]);
  await Promise.all([
    allPods.when('all pods are gone', (all) => all.length === 0),
    ...[large, `${name}-alone`, `${name}-beside`].map((each) => raw.delete(`${path}/${each}`)),
  ]);
  return {
    alone,
    beside: small.times,
    scaledSeconds: (scaledMs - startMs) / 1000,
    overtook: small.readyMs < scaledMs,
  };
}

/** Created, and left unchanged when it is ready. */
async function smallCluster(
  bench: RayBench,
  clusters: Milestones<RayCluster>,
  name: string,
): Promise<{ times: SmallTimes; readyMs: number }> {
  await using pods = await podsOf(bench, `${CLUSTER_LABEL}=${name}`);
  const startMs = performance.now();
  const [createdMs, readyMs] = await Promise.all([
    pods.when('both pods of the small cluster are created', (all) => all.length === 2),
    clusters.when('the small cluster is ready', (all) => find(all, name)?.status?.state === 'ready'),
    bench.raw.post(clustersPath(bench.namespace), rayCluster(bench.namespace, name, 1)),
  ]);
  return { times: { created: (createdMs - startMs) / 1000, ready: (readyMs - startMs) / 1000 }, readyMs };
}

function readyWorkers(clusters: readonly RayCluster[], name: string): number {
  return find(clusters, name)?.status?.readyWorkerReplicas ?? 0;
}

function find(clusters: readonly RayCluster[], name: string): RayCluster | undefined {
  return clusters.find(({ metadata }) => metadata?.name === name);
}
