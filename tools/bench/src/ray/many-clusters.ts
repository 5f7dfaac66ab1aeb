/** Many RayClusters of one head and one worker at once, until all are ready; and the floor of that. */
import type { RayCluster } from '@muster/job-api';
import { apiServerRequests, operatorRequests, subtract } from '../request-counts.ts';
import { cpuSeconds } from '../server-process.ts';
import { CLUSTER_LABEL, clustersOf, clustersPath, isReadyPod, podsOf, type RayBench } from './ray-bench.ts';
import { bareCluster, rayCluster } from './ray-cluster-manifest.ts';

export interface ManySample {
  /** From the first request until all clusters are ready. */
  readonly readySeconds: number;
  /** The operator's. */
  readonly cpuSeconds: number;
  /** The operator's own requests, including reads and watches. */
  readonly operatorRequests: Record<string, number>;
  /** Of all clients, including scheduler, simulated nodes and this measurement. */
  readonly apiServerRequests: Record<string, number>;
}

export async function manyClusters(bench: RayBench, name: string, count: number): Promise<ManySample> {
  const { client, raw, namespace, operator } = bench;
  await using clusters = await clustersOf(bench);
  await using pods = await podsOf(bench, CLUSTER_LABEL);
  const path = clustersPath(namespace);
  const names = Array.from({ length: count }, (_cluster, index) => `${name}-${index}`);
  const atServerBefore = await apiServerRequests(client);
  const requestsBefore = await operatorRequests(operator.url);
  const cpuBefore = await cpuSeconds(operator.child);
  const startMs = performance.now();
  const [endMs] = await Promise.all([
    clusters.when('all clusters are ready', (all) => all.filter(isReady).length === count),
    ...names.map((each) => raw.post(path, rayCluster(namespace, each, 1))),
  ]);
  const spent = (await cpuSeconds(operator.child)) - cpuBefore;
  const requests = subtract(await operatorRequests(operator.url), requestsBefore);
  const atServer = subtract(await apiServerRequests(client), atServerBefore);
  await Promise.all([
    clusters.when('all clusters are gone', (all) => all.length === 0),
    pods.when('all pods are gone', (all) => all.length === 0),
    ...names.map((each) => raw.delete(`${path}/${each}`)),
  ]);
  return {
    readySeconds: (endMs - startMs) / 1000,
    cpuSeconds: spent,
    operatorRequests: requests,
    apiServerRequests: atServer,
  };
}

/** Seconds from the first request until the same number of bare pods is ready, with a head Service for each two. */
export async function manyBareClusters(bench: RayBench, name: string, count: number): Promise<number> {
  const { raw, namespace } = bench;
  await using pods = await podsOf(bench, `bench.muster.dev/floor=${name}`);
  const path = `/api/v1/namespaces/${namespace}`;
  const labels = { 'bench.muster.dev/floor': name };
  const all = Array.from({ length: count }, (_cluster, index) => bareCluster(`${name}-${index}`, labels));
  const objects = all.flatMap(({ service, pods: own }) => [
    { collection: `${path}/services`, object: service },
    ...own.map((object) => ({ collection: `${path}/pods`, object })),
  ]);
  const startMs = performance.now();
  const [endMs] = await Promise.all([
    pods.when('all bare pods are ready', (present) => present.filter(isReadyPod).length === 2 * count),
    ...objects.map(({ collection, object }) => raw.post(collection, object)),
  ]);
  await Promise.all([
    pods.when('all bare pods are gone', (present) => present.length === 0),
    ...objects.map(({ collection, object }) => raw.delete(`${collection}/${object.metadata?.name}`)),
  ]);
  return (endMs - startMs) / 1000;
}

function isReady({ status }: RayCluster): boolean {
  return status?.state === 'ready';
}
