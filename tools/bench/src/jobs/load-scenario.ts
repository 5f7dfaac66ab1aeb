/**
 * A scenario that runs one load several times, alternating with its floor: seconds beside the floor's, the cost for the operator and the
 * cluster, and the requests a job takes. Nodes are simulated, so pods start at once; all else is real.
 */
import { createKubeClient, loadCluster } from '@muster/kube';
import { eventLoopLag, type EventLoopLag } from '../event-loop-lag.ts';
import { figure, spread } from '../figure.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { peakResidentMB, residentMB, stopServer } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';
import { LOAD_KINDS } from '../kinds/chosen-kind.ts';
import { ownObjects, ownPods, type OwnObjects } from '../kinds/own-objects.ts';
import { floorSample, type FloorSample } from './floor.ts';
import { jobSample, type JobSample } from './job-sample.ts';
import type { LoadBench } from './load-bench.ts';
import { completeSeconds, podCount, type Load, type Times } from './load.ts';

interface LoadScenario {
  readonly summary: string;
  readonly runs: number;
  /** The meaning of `--size`. */
  readonly size: number;
  readonly load: (size: number) => Omit<Load, 'kind'>;
  readonly goals: LoadGoals;
}

/** Upper limits of the figures. */
interface LoadGoals {
  /** For the last phase, as a multiple of the floor. */
  readonly last?: number;
  /** For one job, without the floor's requests. */
  readonly statusWrites?: number;
  readonly events?: number;
  readonly services?: number;
  readonly peakMB?: number;
  /** For peak memory, above that of an idle operator. */
  readonly kilobytesPerPod?: number;
}

const LIMIT_MS = 600_000;
/** Simulated nodes hold 110 pods each; some space stays free, as on real ones. */
const PODS_A_NODE = 100;

export function loadScenario(shape: LoadScenario): Scenario {
  const { summary, runs, size: defaultSize, load: loadOf, goals } = shape;
  return {
    summary,
    defaults: { runs, size: defaultSize },
    anyOperator: true,
    nodes: (size) => nodesForLoad(loadOf(size)),
    run(context) {
      const kind = context.kind ?? LOAD_KINDS[context.framework];
      if (kind === undefined)
        throw new Error(
          `--framework ${context.framework}: this scenario supports ${Object.keys(LOAD_KINDS).join(', ')}`,
        );
      const ends = kind.runsOn === true ? { trainingMs: undefined } : {};
      const load = { ...loadOf(context.size), ...ends, kind };
      // With `--kind` the floor has all objects. Otherwise it is bare pods, so that figures of different years can be compared.
      return measuredLoad(context, load, { goals, floors: context.kind === undefined ? FLOORS : ['allObjects'] });
    },
  };
}

function nodesForLoad({ jobs, pods }: Pick<Load, 'jobs' | 'pods'>): number {
  return Math.ceil((jobs * pods) / PODS_A_NODE);
}

/** The objects of a floor: bare pods with one container, the jobs' own pods, or these and all other objects of the jobs. */
type FloorOf = 'bare' | 'ownPods' | 'allObjects';
const FLOORS: readonly FloorOf[] = ['bare', 'ownPods', 'allObjects'];

interface Comparison {
  readonly goals: LoadGoals;
  /** All figures are shown beside the first floor; only the last phase is shown beside the others. */
  readonly floors: readonly FloorOf[];
}

/** Starts the operator for the measurement, and stops it. */
async function measuredLoad(
  context: BenchContext,
  load: Load,
  comparison: Comparison,
): Promise<Record<string, unknown>> {
  const { kubeconfig, namespace, cluster, profiles } = context;
  const access = await loadCluster({ kubeconfig });
  const client = createKubeClient(access, { userAgent: 'muster-bench' });
  const operator = await startOperator(context);
  try {
    const bench: LoadBench = { access, client, namespace, cluster, operator, limitMs: LIMIT_MS, profiles };
    return await measure(bench, load, comparison, context);
  } finally {
    await stopServer(operator.child);
    await client.close();
  }
}

/** The measurements, with their floors: one of each per run. */
interface Samples {
  readonly idleMB: number;
  readonly floors: Readonly<Partial<Record<FloorOf, FloorSample[]>>>;
  readonly samples: readonly JobSample[];
  readonly lags: readonly EventLoopLag[];
}

async function sampled(
  bench: LoadBench,
  load: Load,
  kinds: readonly FloorOf[],
  context: BenchContext,
): Promise<Samples> {
  const { runs } = context;
  context.note('warming up');
  const madeOf = await floorObjects(bench, load, kinds);
  await jobSample(bench, { ...load, jobs: 1, pods: Math.min(load.pods, 3) }, 'warm-up');
  const idleMB = await residentMB(bench.operator.child);
  // The first thousand pods of a new cluster take a quarter longer, whichever client creates them.
  await floorSample(bench, { ...load, jobs: Math.ceil(load.jobs / 2) }, 'floor-warm-up', madeOf.allObjects);
  const floors: Partial<Record<FloorOf, FloorSample[]>> = {};
  const samples: JobSample[] = [];
  const lags: EventLoopLag[] = [];
  for (let run = 1; run <= runs; run++) {
    // Alternating: a machine's speed changes within minutes.
    for (const kind of kinds) {
      context.note(`run ${run} of ${runs}: the floor of ${podCount(load)} pods, ${FLOOR_NAMES[kind]}`);
      const sample = await floorSample(bench, load, `floor-${kind.toLowerCase()}-${run}`, madeOf[kind]);
      (floors[kind] ??= []).push(sample);
      if (kind !== kinds[0]) continue;
      context.note(`run ${run} of ${runs}: ${load.jobs} jobs of ${load.pods} pods`);
      await eventLoopLag(bench.operator.url);
      samples.push(await jobSample(bench, load, `run-${run}`));
      lags.push(...[(await eventLoopLag(bench.operator.url)) ?? []].flat());
    }
  }
  return { idleMB, floors, samples, lags };
}

const FLOOR_NAMES: Readonly<Record<FloorOf, string>> = {
  bare: 'bare',
  ownPods: 'like those of the jobs',
  allObjects: 'and all other objects of the jobs',
};

/** Bare pods need no objects of a job. */
async function floorObjects(
  { client, namespace, limitMs }: LoadBench,
  { kind, pods, trainingMs }: Load,
  kinds: readonly FloorOf[],
): Promise<Partial<Record<FloorOf, OwnObjects>>> {
  if (kinds.every((each) => each === 'bare')) return {};
  const all = await ownObjects(client, namespace, { kind, pods, ends: trainingMs !== undefined, limitMs });
  return { ownPods: ownPods(all), allObjects: all };
}

async function measure(
  bench: LoadBench,
  load: Load,
  { goals, floors: kinds }: Comparison,
  context: BenchContext,
): Promise<Record<string, unknown>> {
  const { idleMB, floors: found, samples, lags } = await sampled(bench, load, kinds, context);
  const [floors = [], ...others] = kinds.map((kind) => found[kind] ?? []);
  const compare = (seconds: (times: Times) => number, ratio?: number) => {
    const floor = floors.map(seconds);
    return figure(samples.map(seconds), floor, 2, ratio === undefined ? undefined : ratio * spread(floor, 6).median);
  };
  const perJob = (key: string) => {
    const each = ({ requests }: Pick<JobSample, 'requests'>) => (requests[key] ?? 0) / load.jobs;
    return { ...spread(samples.map(each), 2), floor: spread(floors.map(each), 2).median };
  };
  const { plural } = load.kind.resource;
  const last = load.trainingMs === undefined ? 'allRunningSeconds' : 'succeededSeconds';
  const peakMB = await peakResidentMB(bench.operator.child);
  const kilobytesPerPod = ((peakMB - idleMB) * 1024) / podCount(load);
  const [statusWrites, events, services] = [
    perJob(`PATCH ${plural} status`),
    perJob('POST events'),
    perJob('POST services'),
  ];
  const beyond = ({ median, floor }: { median: number; floor: number }) => round(median - floor);
  return {
    jobs: load.jobs,
    pods: load.pods,
    createdSeconds: compare(({ created }) => created),
    runningSeconds: compare(({ running }) => running),
    [last]: compare(completeSeconds, goals.last),
    ...Object.fromEntries(
      others.map((other, index) => {
        const name = `${last}Beside${capitalized(kinds[index + 1])}`;
        return [name, figure(samples.map(completeSeconds), other.map(completeSeconds), 2)];
      }),
    ),
    operatorCpuSeconds: spread(
      samples.map(({ operatorCpu }) => operatorCpu),
      2,
    ),
    clusterCpuSeconds: cpuTable(samples, floors),
    ...(lags.length > 0 && { eventLoopLagMs: lagOf(lags) }),
    residentMB: {
      idle: Number(idleMB.toFixed(1)),
      peak: Number(peakMB.toFixed(1)),
      afterwards: Number((await residentMB(bench.operator.child)).toFixed(1)),
    },
    kilobytesPerPod: spread([kilobytesPerPod], 1),
    statusWritesPerJob: statusWrites,
    eventsPerJob: events,
    servicesPerJob: services,
    goals: reached(goals, {
      ...{ statusWrites: beyond(statusWrites), events: beyond(events), services: beyond(services) },
      ...{ peakMB, kilobytesPerPod },
    }),
    requestsPerJobOfLastRun: mapped(samples.at(-1)?.requests ?? {}, (count) => round(count / load.jobs)),
  };
}

function lagOf(lags: readonly EventLoopLag[]) {
  const p99 = lags.map((lag) => lag.p99);
  return { p99: spread(p99, 0).median, longest: Math.max(...lags.map(({ longest }) => longest)) };
}

/** For each figure with a goal, whether it is met. */
function reached(goals: LoadGoals, found: Readonly<Record<string, number>>): Record<string, boolean> {
  const met = Object.entries(goals).flatMap(([name, goal]: [string, number]) => {
    const value = found[name];
    return value === undefined ? [] : [[`${name}Met`, value <= goal] as const];
  });
  return Object.fromEntries(met);
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

function capitalized(word = ''): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
