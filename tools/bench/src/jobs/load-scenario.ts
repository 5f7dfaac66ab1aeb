/**
 * A scenario that runs one load several times, in turns with its floor: seconds beside the floor's, what it costs the operator and
 * the cluster, and which requests a job takes. Nodes are simulated, so pods start at once; all else is real.
 */
import { createKubeClient, loadCluster } from '@muster/kube';
import { figure, spread } from '../figure.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { peakResidentMB, residentMB, stopServer } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';
import { measuredKind } from '../training-job.ts';
import { floorSample, type FloorSample } from './floor.ts';
import { jobSample, type JobSample } from './job-sample.ts';
import type { LoadBench } from './load-bench.ts';
import { completeSeconds, podCount, type Load, type Times } from './load.ts';

interface LoadScenario {
  readonly summary: string;
  readonly runs: number;
  /** What `--size` stands for. */
  readonly size: number;
  readonly load: (size: number) => Omit<Load, 'kind'>;
  /** What the last moment is meant to stay below, as a multiple of the floor. */
  readonly goal: number;
}

const LIMIT_MS = 600_000;
/** Simulated nodes take 110 pods each; some room is left, as on real ones. */
const PODS_A_NODE = 100;

export function loadScenario({ summary, runs, size: defaultSize, load: loadOf, goal }: LoadScenario): Scenario {
  return {
    summary,
    defaults: { runs, size: defaultSize },
    nodes: (size) => Math.ceil((loadOf(size).jobs * loadOf(size).pods) / PODS_A_NODE),
    async run(context) {
      const { kubeconfig, namespace, cluster, framework, size, profiles } = context;
      const kind = measuredKind(framework);
      const access = await loadCluster({ kubeconfig });
      const client = createKubeClient(access, { userAgent: 'muster-bench' });
      const operator = await startOperator(context);
      try {
        const bench: LoadBench = { access, client, namespace, cluster, operator, limitMs: LIMIT_MS, profiles };
        return await measure(bench, { kind, ...loadOf(size) }, goal, context);
      } finally {
        await stopServer(operator.child);
        await client.close();
      }
    },
  };
}

async function measure(bench: LoadBench, load: Load, goal: number, context: BenchContext) {
  const { runs } = context;
  context.note('warming up');
  await jobSample(bench, { ...load, jobs: 1, pods: Math.min(load.pods, 3) }, 'warm-up');
  const idleMB = await residentMB(bench.operator.child);
  const floors: FloorSample[] = [];
  const samples: JobSample[] = [];
  for (let run = 1; run <= runs; run++) {
    context.note(`run ${run} of ${runs}: the floor, ${podCount(load)} bare pods`);
    floors.push(await floorSample(bench, load, `floor-${run}`));
    context.note(`run ${run} of ${runs}: ${load.jobs} jobs of ${load.pods} pods`);
    samples.push(await jobSample(bench, load, `run-${run}`));
  }
  const compare = (seconds: (times: Times) => number, ratio?: number) => {
    const floor = floors.map(seconds);
    return figure(samples.map(seconds), floor, 2, ratio === undefined ? undefined : ratio * spread(floor, 6).median);
  };
  const perJob = (key: string) =>
    spread(
      samples.map(({ requests }) => (requests[key] ?? 0) / load.jobs),
      2,
    );
  const { plural } = load.kind.resource;
  return {
    jobs: load.jobs,
    pods: load.pods,
    createdSeconds: compare(({ created }) => created),
    runningSeconds: compare(({ running }) => running),
    [load.trainingMs === undefined ? 'allRunningSeconds' : 'succeededSeconds']: compare(completeSeconds, goal),
    operatorCpuSeconds: spread(
      samples.map(({ operatorCpu }) => operatorCpu),
      2,
    ),
    clusterCpuSeconds: cpuTable(samples, floors),
    residentMB: {
      idle: Number(idleMB.toFixed(1)),
      peak: Number((await peakResidentMB(bench.operator.child)).toFixed(1)),
      afterwards: Number((await residentMB(bench.operator.child)).toFixed(1)),
    },
    statusWritesPerJob: perJob(`PATCH ${plural} status`),
    eventsPerJob: perJob('POST events'),
    servicesPerJob: perJob('POST services'),
    requestsPerJobOfLastRun: mapped(samples.at(-1)?.requests ?? {}, (count) => round(count / load.jobs)),
  };
}

/** The medians, by program: with the operator, and of the floor. */
function cpuTable(samples: readonly JobSample[], floors: readonly FloorSample[]) {
  const [first] = samples;
  return mapped(first?.clusterCpu ?? {}, (_seconds, program) => ({
    median: spread(
      samples.map(({ clusterCpu }) => clusterCpu[program] ?? 0),
      2,
    ).median,
    floor: spread(
      floors.map(({ clusterCpu }) => clusterCpu[program] ?? 0),
      2,
    ).median,
  }));
}

function mapped<T, U>(record: Readonly<Record<string, T>>, map: (value: T, key: string) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

function round(value: number): number {
  return Number(value.toFixed(2));
}
