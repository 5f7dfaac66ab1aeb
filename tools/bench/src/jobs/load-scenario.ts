/**
 * A scenario that runs one load several times, in turns with its floor: seconds beside the floor's, what it costs the operator and
 * the cluster, and which requests a job takes. Nodes are simulated, so pods start at once; all else is real.
 */
import { createKubeClient, loadCluster } from '@muster/kube';
import { eventLoopLag, type EventLoopLag } from '../event-loop-lag.ts';
import { figure, spread, type Figure } from '../figure.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { peakResidentMB, residentMB, stopServer } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';
import { LOAD_KINDS } from '../kinds/chosen-kind.ts';
import { ownObjects, type OwnObjects } from '../kinds/own-objects.ts';
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

export function loadScenario(shape: LoadScenario): Scenario {
  const { summary, runs, size: defaultSize, load: loadOf, goal } = shape;
  return {
    summary,
    defaults: { runs, size: defaultSize },
    anyOperator: true,
    nodes: (size) => nodesForLoad(loadOf(size)),
    run(context) {
      const kind = context.kind ?? LOAD_KINDS[context.framework];
      if (kind === undefined)
        throw new Error(`--framework ${context.framework}: loads are known of ${Object.keys(LOAD_KINDS).join(', ')}`);
      const ends = kind.runsOn === true ? { trainingMs: undefined } : {};
      return measuredLoad(context, { ...loadOf(context.size), ...ends, kind }, goal);
    },
  };
}

export function nodesForLoad({ jobs, pods }: Pick<Load, 'jobs' | 'pods'>): number {
  return Math.ceil((jobs * pods) / PODS_A_NODE);
}

/** Its operator is started for it, and stopped. */
export async function measuredLoad(context: BenchContext, load: Load, goal: number): Promise<LoadFigures> {
  const { kubeconfig, namespace, cluster, profiles } = context;
  const access = await loadCluster({ kubeconfig });
  const client = createKubeClient(access, { userAgent: 'muster-bench' });
  const operator = await startOperator(context);
  try {
    const bench: LoadBench = { access, client, namespace, cluster, operator, limitMs: LIMIT_MS, profiles };
    return await measure(bench, load, goal, context);
  } finally {
    await stopServer(operator.child);
    await client.close();
  }
}

/** Those that others look at; there are more, by name. */
export interface LoadFigures extends Record<string, unknown> {
  readonly runningSeconds: Figure;
  /** Of the last moment: all run, or all have succeeded. */
  readonly succeededSeconds?: Figure;
  readonly allRunningSeconds?: Figure;
  readonly residentMB: { readonly idle: number; readonly peak: number; readonly afterwards: number };
}

/** What was measured, with its floors. */
interface Samples {
  readonly idleMB: number;
  readonly floors: readonly FloorSample[];
  readonly samples: readonly JobSample[];
  readonly lags: readonly EventLoopLag[];
  /** Seconds of the floor with all objects of the jobs; none where the floor is that anyway. */
  readonly ofAllObjects: readonly number[];
}

async function sampled(bench: LoadBench, load: Load, context: BenchContext): Promise<Samples> {
  const { runs } = context;
  context.note('warming up');
  const objects = await objectsOf(bench, load);
  // With `--kind` the floor has all of them; else it is bare pods, so that figures of one year can be compared with those of another.
  const own = context.kind === undefined ? undefined : objects;
  await jobSample(bench, { ...load, jobs: 1, pods: Math.min(load.pods, 3) }, 'warm-up');
  const idleMB = await residentMB(bench.operator.child);
  const floors: FloorSample[] = [];
  const samples: JobSample[] = [];
  const lags: EventLoopLag[] = [];
  for (let run = 1; run <= runs; run++) {
    context.note(`run ${run} of ${runs}: the floor of ${podCount(load)} pods`);
    floors.push(await floorSample(bench, load, `floor-${run}`, own));
    context.note(`run ${run} of ${runs}: ${load.jobs} jobs of ${load.pods} pods`);
    await eventLoopLag(bench.operator.url);
    samples.push(await jobSample(bench, load, `run-${run}`));
    lags.push(...[(await eventLoopLag(bench.operator.url)) ?? []].flat());
  }
  const ofAllObjects = own === undefined ? [await secondsOfAllObjects(bench, load, objects, context)] : [];
  return { idleMB, floors, samples, lags, ofAllObjects };
}

async function measure(bench: LoadBench, load: Load, goal: number, context: BenchContext): Promise<LoadFigures> {
  const { idleMB, floors, samples, lags, ofAllObjects } = await sampled(bench, load, context);
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
  const last = load.trainingMs === undefined ? 'allRunningSeconds' : 'succeededSeconds';
  return {
    jobs: load.jobs,
    pods: load.pods,
    createdSeconds: compare(({ created }) => created),
    runningSeconds: compare(({ running }) => running),
    [last]: compare(completeSeconds, goal),
    ...(ofAllObjects.length > 0 && {
      [`${last}BesideAllObjects`]: figure(samples.map(completeSeconds), ofAllObjects, 2),
    }),
    operatorCpuSeconds: spread(
      samples.map(({ operatorCpu }) => operatorCpu),
      2,
    ),
    clusterCpuSeconds: cpuTable(samples, floors),
    ...(lags.length > 0 && {
      eventLoopLagMs: {
        p99: spread(
          lags.map(({ p99 }) => p99),
          0,
        ).median,
        longest: Math.max(...lags.map(({ longest }) => longest)),
      },
    }),
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

/** Those that a job of the kind consists of. */
function objectsOf(bench: LoadBench, { kind, pods, trainingMs }: Load): Promise<OwnObjects> {
  const { client, namespace, limitMs } = bench;
  return ownObjects(client, namespace, { kind, pods, ends: trainingMs !== undefined, limitMs });
}

/** What of the time is not the operator's own: so long take the pods as jobs have them, with all else that a job leaves. */
async function secondsOfAllObjects(
  bench: LoadBench,
  load: Load,
  objects: OwnObjects,
  context: BenchContext,
): Promise<number> {
  context.note(`the floor of ${podCount(load)} pods and all else that their jobs have`);
  return completeSeconds(await floorSample(bench, load, 'floor-of-all', objects));
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
