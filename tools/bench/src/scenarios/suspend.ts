/**
 * One very wide job is suspended and resumed: how long from the accepted write until its last pod is deleted, until the last one is made
 * again, and until all run; beside as many bare pods that a raw client deletes and makes. Nodes are simulated; all else is real.
 */
import { LABELS, PODS, type Pod } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { figure, median, spread } from '../figure.ts';
import { floorSample } from '../jobs/floor.ts';
import type { LoadBench } from '../jobs/load-bench.ts';
import type { Times } from '../jobs/load.ts';
import { nodesForLoad } from '../jobs/load-scenario.ts';
import { makeRunningJobs } from '../jobs/running-jobs.ts';
import { Milestones } from '../milestones.ts';
import { operatorRequests, subtract } from '../request-counts.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { cpuSeconds, peakResidentMB, stopServer } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';
import { measuredKind, trainingJob } from '../training-job.ts';

const WORKERS = 10_000;
const LIMIT_MS = 1_800_000;
/** Seconds by which the last pod may be made later than the last bare one. */
const BEYOND_GOAL = 3;

interface Sample {
  readonly gone: number;
  readonly created: number;
  readonly running: number;
  readonly cpu: number;
  readonly requests: Record<string, number>;
}

export const suspend: Scenario = {
  summary: `one job of ${WORKERS} pods (--size) that is suspended and resumed: time from the write to the last deletion, and to the last pod`,
  defaults: { runs: 1, size: WORKERS },
  nodes: (size) => nodesForLoad({ jobs: 1, pods: size }) + 1,
  async run(context) {
    const access = await loadCluster({ kubeconfig: context.kubeconfig });
    const client = createKubeClient(access, { userAgent: 'muster-bench' });
    const operator = await startOperator(context);
    try {
      const { namespace, cluster } = context;
      const bench = { access, client, namespace, cluster, operator, limitMs: LIMIT_MS, profiles: undefined };
      return await measure(bench, context);
    } finally {
      await stopServer(operator.child);
      await client.close();
    }
  },
};

async function measure(bench: LoadBench, context: BenchContext): Promise<Record<string, unknown>> {
  const { runs, size } = context;
  const load = { kind: measuredKind(context.framework), jobs: 1, pods: size };
  const samples: Sample[] = [];
  const floors: Times[] = [];
  for (let run = 1; run <= runs; run++) {
    context.note(`suspend: the floor of ${size} pods, run ${run} of ${runs}`);
    floors.push(await floorSample(bench, load, `floor-${run}`));
    context.note(`suspend: a job of ${size} pods, run ${run} of ${runs}`);
    samples.push(await sample(bench, context, `suspend-${run}`));
  }
  const created = samples.map((each) => each.created);
  const beyond = samples.map((each, index) => each.created - floors[index]!.created);
  return {
    pods: size,
    goneSeconds: spread(
      samples.map(({ gone }) => gone),
      2,
    ),
    createdSeconds: figure(
      created,
      floors.map((each) => each.created),
      2,
    ),
    createdSecondsBeyondTheFloor: spread(beyond, 2),
    runningSeconds: figure(
      samples.map(({ running }) => running),
      floors.map(({ running }) => running),
      2,
    ),
    operatorCpuSeconds: spread(
      samples.map(({ cpu }) => cpu),
      2,
    ),
    peakResidentMB: Number((await peakResidentMB(bench.operator.child)).toFixed(1)),
    operatorRequestsOfLastRun: samples.at(-1)?.requests,
    goals: { lastCreateMet: median(beyond) <= BEYOND_GOAL },
  };
}

async function sample(bench: LoadBench, context: BenchContext, name: string): Promise<Sample> {
  const { client, operator } = bench;
  const { namespace, size } = context;
  const kind = measuredKind(context.framework);
  const where = { namespace, labelSelector: `${LABELS.jobName}=${name}` };
  await using pods = await Milestones.of(client, PODS, where, LIMIT_MS);
  await makeRunningJobs(client, context, kind, [trainingJob(kind, name, size, undefined)], LIMIT_MS);
  await pods.when('all pods run', allRun(size));
  const before = { cpu: await cpuSeconds(operator.child), requests: await operatorRequests(operator.url) };
  const suspended = (value: boolean) => accepted(client, context, name, value);
  const stoppedMs = await suspended(true);
  const gone = ((await pods.when('all pods are gone', (all) => all.length === 0)) - stoppedMs) / 1000;
  const resumedMs = await suspended(false);
  const [createdMs, runningMs] = await Promise.all([
    pods.when('all pods are made again', (all) => all.length === size),
    pods.when('all pods run again', allRun(size)),
  ]);
  const requests = subtract(await operatorRequests(operator.url), before.requests);
  const cpu = (await cpuSeconds(operator.child)) - before.cpu;
  await client.delete(kind.resource, { namespace, name });
  await pods.when('all pods are gone with their job', (all) => all.length === 0);
  return { gone, created: (createdMs - resumedMs) / 1000, running: (runningMs - resumedMs) / 1000, cpu, requests };
}

/** When the write was answered. */
async function accepted(
  client: ClusterClient,
  { namespace, framework }: BenchContext,
  name: string,
  suspended: boolean,
): Promise<number> {
  await client.patch(
    measuredKind(framework).resource,
    { namespace, name },
    { spec: { runPolicy: { suspend: suspended } } },
  );
  return performance.now();
}

const allRun = (size: number) => (pods: readonly Pod[]) =>
  pods.length === size && pods.every(({ status }) => status?.phase === 'Running');
