/**
 * How long until an operator that comes anew among many running jobs has replaced a pod that failed meanwhile: one that is started where
 * none runs, one to which the leader hands over as it stops, and one whose leader was killed, which has to wait for the Lease to expire.
 * And whether it writes anything besides what that one pod asks for. Nodes are simulated; all else is real.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { PODS, type Pod } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { spread } from '../figure.ts';
import { JOB_NAME, makeRunningJobs } from '../jobs/running-jobs.ts';
import { Milestones } from '../milestones.ts';
import { subtract, total, writesBesidesLeases } from '../request-counts.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { peakResidentMB, stopServer, type Started } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';
import { failedStatus, measuredKind, trainingJob, type MeasuredKind } from '../training-job.ts';
import { undueWrites } from '../undue-writes.ts';

const JOBS = 2000;
const PODS_A_JOB = 5;
const PODS_OF_A_NODE = 100;
const LIMIT_MS = 1_800_000;
/** What is written late, such as counts of a status, is written by then. */
const SETTLE_MS = 20_000;
const REACTION_GOAL_SECONDS = 10;
const LEASE_SECONDS = 15;
const KILLED_GOAL_SECONDS = LEASE_SECONDS + 5;
/** Retried, as it counts as a signal. */
const EXIT_CODE = 137;

const WAYS = ['started', 'handedOver', 'killed'] as const;
type Way = (typeof WAYS)[number];

interface Bench {
  readonly client: ClusterClient;
  readonly context: BenchContext;
  readonly kind: MeasuredKind;
  start(): Promise<Started>;
}

interface Succession {
  readonly way: Way;
  /** Whose pod fails meanwhile. */
  readonly job: string;
}

interface Sample {
  readonly seconds: number;
  readonly writes: Record<string, number>;
}

export const running: Scenario = {
  summary: `an operator started, handed over to or left by a killed leader among ${JOBS} running jobs of ${PODS_A_JOB} pods: time until it replaces a failed pod, writes`,
  defaults: { runs: 1, size: JOBS },
  nodes: (size) => Math.ceil((size * PODS_A_JOB) / PODS_OF_A_NODE) + 1,
  async run(context) {
    const client = createKubeClient(await loadCluster({ kubeconfig: context.kubeconfig }), {
      userAgent: 'muster-bench',
    });
    const kind = measuredKind(context.framework);
    const operators: Started[] = [];
    const start = async () => {
      const operator = await startOperator(context);
      operators.push(operator);
      return operator;
    };
    try {
      let leader = await start();
      context.note(`running: ${context.size} jobs are made`);
      const names = Array.from({ length: context.size }, (_job, index) => `running-${index}`);
      const jobs = names.map((name) => trainingJob(kind, name, PODS_A_JOB, undefined, { restartPolicy: 'ExitCode' }));
      await makeRunningJobs(client, context, kind, jobs, LIMIT_MS);
      const bench: Bench = { client, context, kind, start };
      const samples: Record<Way, Sample[]> = { started: [], handedOver: [], killed: [] };
      // Each time another job: one whose pods fail in a row waits longer before it makes them anew.
      let victim = 0;
      for (let run = 1; run <= context.runs; run++) {
        for (const way of WAYS) {
          context.note(`running: ${way}, run ${run} of ${context.runs}`);
          await sleep(SETTLE_MS);
          const { sample, next } = await succeed(bench, leader, { way, job: names[victim++ % names.length]! });
          leader = next;
          samples[way].push(sample);
        }
      }
      return { jobs: context.size, pods: PODS_A_JOB, ...figures(kind, samples), peakResidentMB: await peakOf(leader) };
    } finally {
      await Promise.all(operators.map(({ child }) => stopServer(child)));
      await client.close();
    }
  },
};

async function peakOf({ child }: Started): Promise<number> {
  return Number((await peakResidentMB(child)).toFixed(1));
}

function figures(kind: MeasuredKind, samples: Readonly<Record<Way, readonly Sample[]>>) {
  const secondsOf = (way: Way) =>
    spread(
      samples[way].map(({ seconds }) => seconds),
      2,
    );
  const undue = WAYS.flatMap((way) => samples[way]).map(({ writes }) => undueWrites(writes, dueFor(kind)));
  const met = (way: Way, goal: number) => secondsOf(way).max <= goal;
  return {
    startedSeconds: secondsOf('started'),
    handedOverSeconds: secondsOf('handedOver'),
    killedSeconds: secondsOf('killed'),
    undueWrites: Object.assign({}, ...undue) as object,
    writesOfLastRun: samples.killed.at(-1)?.writes,
    goals: {
      startedMet: met('started', REACTION_GOAL_SECONDS),
      handedOverMet: met('handedOver', REACTION_GOAL_SECONDS),
      killedMet: met('killed', KILLED_GOAL_SECONDS),
      onlyDueWritesMet: undue.every((each) => total(each) === 0),
    },
  };
}

/** One pod fails, is deleted by the operator and then by its kubelet, and made anew; scheduler and kubelet write of the new one. */
function dueFor({ resource: { plural } }: MeasuredKind): Record<string, number> {
  return {
    'PATCH pods status': 2,
    'DELETE pods': 2,
    'POST pods': 1,
    'POST pods binding': 1,
    [`PATCH ${plural} status`]: 4,
    'POST events': 5,
    'PATCH events': 2,
    // The addresses of the job's Services: without the pod, and with the next one.
    'PATCH endpointslices': 4,
    'DELETE endpointslices': 1,
    'POST endpointslices': 1,
  };
}

/** The next leader replaces the pod: `leader` has ended when it resolves. */
async function succeed(
  bench: Bench,
  leader: Started,
  { way, job }: Succession,
): Promise<{ sample: Sample; next: Started }> {
  const { client } = bench;
  const follower = way === 'started' ? undefined : await bench.start();
  const before = await writesBesidesLeases(client);
  const endedMs = performance.now();
  if (way === 'killed') {
    const ended = once(leader.child, 'exit');
    leader.child.kill('SIGKILL');
    await ended;
  } else await stopServer(leader.child);
  const victim = await failedPod(bench, job);
  const replaced = await replacementOf(bench, victim);
  const startMs = way === 'started' ? performance.now() : endedMs;
  const next = follower ?? (await bench.start());
  const seconds = ((await replaced.at) - startMs) / 1000;
  await replaced.end();
  await sleep(SETTLE_MS);
  return { sample: { seconds, writes: subtract(await writesBesidesLeases(client), before) }, next };
}

async function failedPod({ client, context: { namespace }, kind }: Bench, job: string): Promise<Pod> {
  const { items } = await client.list(PODS, { namespace, labelSelector: `${JOB_NAME}=${job}` });
  const victim = items.find(({ status }) => status?.phase === 'Running');
  if (victim?.metadata?.name === undefined) throw new Error(`none of ${items.length} pods of ${job} runs`);
  await client.patchStatus(PODS, { namespace, name: victim.metadata.name }, { status: failedStatus(kind, EXIT_CODE) });
  return victim;
}

/** `at` when a pod that was made in its place runs. */
async function replacementOf({ client, context: { namespace } }: Bench, { metadata }: Pod) {
  const job = metadata?.labels?.[JOB_NAME] ?? '';
  const pods = await Milestones.of(client, PODS, { namespace, labelSelector: `${JOB_NAME}=${job}` }, LIMIT_MS);
  const at = pods.when(
    `a pod in place of ${metadata?.name} is made`,
    (found) => found.length === PODS_A_JOB && found.every((pod) => pod.metadata?.uid !== metadata?.uid),
  );
  return { at, end: () => pods[Symbol.asyncDispose]() };
}
