/**
 * How long it takes until very many RayClusters of one head and one worker are ready, and what that costs the operator. The floor
 * alternates with it: the same number of bare pods and head Services, created by a raw client with as many connections. Then: whether a
 * cluster that scales to half as many workers delays a small one. Nodes are simulated, so pods are ready at once; the scheduler is real.
 */
import { createKubeClient, loadCluster } from '@muster/kube';
import { figure, spread } from '../figure.ts';
import { rawClient } from '../raw-client.ts';
import { besideScaling, type BesideSample } from '../ray/beside-scaling.ts';
import { manyBareClusters, manyClusters, type ManySample } from '../ray/many-clusters.ts';
import type { RayBench } from '../ray/ray-bench.ts';
import { nodesFor, perCluster, sum } from '../ray/ray-figures.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { peakResidentMB, residentMB, stopServer } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';

const CLUSTERS = 1000;
/** The number of the operator's connections. */
const CONNECTIONS = 32;

export const rayClusters: Scenario = {
  summary: `${CLUSTERS} RayClusters of a head and a worker: time to ready, requests, CPU, memory; a small one beside one that scales`,
  defaults: { framework: 'ray', runs: 3, size: CLUSTERS },
  nodes: nodesFor,
  async run(context) {
    const access = await loadCluster({ kubeconfig: context.kubeconfig });
    const client = createKubeClient(access, { userAgent: 'muster-bench' });
    const raw = await rawClient(access, CONNECTIONS);
    const operator = await startOperator(context);
    const bench: RayBench = { client, raw, namespace: context.namespace, operator };
    try {
      context.note('ray-clusters: warming up');
      await manyClusters(bench, 'warm-up', 1);
      const many = await measureMany(bench, context);
      return { clusters: context.size, ...many, smallBesideScaling: await measureBeside(bench, context) };
    } finally {
      await stopServer(operator.child);
      raw.close();
      await client.close();
    }
  },
};

async function measureMany(bench: RayBench, context: BenchContext): Promise<Record<string, unknown>> {
  const { size, runs } = context;
  const idleMB = await residentMB(bench.operator.child);
  const samples: ManySample[] = [];
  const floors: number[] = [];
  for (let run = 1; run <= runs; run++) {
    context.note(`ray-clusters: ${size} clusters, run ${run} of ${runs}`);
    floors.push(await manyBareClusters(bench, `floor-${run}`, size));
    samples.push(await manyClusters(bench, `many-${run}`, size));
  }
  const spreadOf = (value: (sample: ManySample) => number, digits: number) => spread(samples.map(value), digits);
  const last = samples.at(-1);
  return {
    readySeconds: figure(
      samples.map(({ readySeconds }) => readySeconds),
      floors,
      3,
    ),
    cpuSeconds: spreadOf((sample) => sample.cpuSeconds, 2),
    residentMB: {
      idle: Number(idleMB.toFixed(1)),
      peak: Number((await peakResidentMB(bench.operator.child)).toFixed(1)),
    },
    statusWritesPerCluster: spreadOf((sample) => (sample.apiServerRequests['PATCH rayclusters status'] ?? 0) / size, 2),
    operatorRequestsPerCluster: spreadOf((sample) => sum(sample.operatorRequests) / size, 2),
    operatorRequestsPerClusterOfLastRun: perCluster(last?.operatorRequests ?? {}, size),
    apiServerRequestsPerClusterOfLastRun: perCluster(last?.apiServerRequests ?? {}, size),
  };
}

async function measureBeside(bench: RayBench, context: BenchContext): Promise<Record<string, unknown>> {
  const { size, runs } = context;
  const workers = Math.ceil(size / 2);
  const samples: BesideSample[] = [];
  for (let run = 1; run <= runs; run++) {
    context.note(`ray-clusters: a small cluster beside one that scales to ${workers} workers, run ${run} of ${runs}`);
    samples.push(await besideScaling(bench, `scale-${run}`, workers));
  }
  /** The floor is the same small cluster alone. */
  const compare = (value: (times: BesideSample['alone']) => number) =>
    figure(
      samples.map(({ beside }) => value(beside)),
      samples.map(({ alone }) => value(alone)),
      3,
    );
  return {
    workers,
    scaledSeconds: spread(
      samples.map(({ scaledSeconds }) => scaledSeconds),
      3,
    ),
    createdSeconds: compare(({ created }) => created),
    readySeconds: compare(({ ready }) => ready),
    readyBeforeTheLarge: samples.every(({ overtook }) => overtook),
  };
}
