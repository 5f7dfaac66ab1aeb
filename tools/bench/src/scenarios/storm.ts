/**
 * Very many pods fail within seconds, as when a part of the network is lost: a third of the jobs recreates each failed pod, a third
 * restarts as a whole, and a third fails. Measures the time until all have done so, writes, and whether the API server rejected requests
 * (429). The run fails if a job did something else, or pods were created twice. Nodes are simulated; all else is real.
 */
import { PODS, LABELS, type Pod } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { withConcurrency } from '../jobs/with-concurrency.ts';
import { JOB_NAME, makeRunningJobs, podsOfJobs } from '../jobs/running-jobs.ts';
import { Milestones } from '../milestones.ts';
import { operatorCounter } from '../operator-counter.ts';
import { rawClient } from '../raw-client.ts';
import { operatorRequests, subtract, writesBesidesLeases } from '../request-counts.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { cpuSeconds, peakResidentMB, stopServer, type Started } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';
import { failedStatus, measuredKind, trainingJob, type JobObject, type MeasuredKind } from '../training-job.ts';

const JOBS = 200;
const PODS_A_JOB = 25;
const PODS_OF_A_NODE = 100;
const LIMIT_MS = 900_000;
const CONNECTIONS = 64;
const ACTIONS = ['RestartReplica', 'RestartJob', 'FailJob'] as const;
type Action = (typeof ACTIONS)[number];
const STATUS_WRITES_GOAL = 3;

interface Bench {
  readonly client: ClusterClient;
  readonly context: BenchContext;
  readonly kind: MeasuredKind;
  readonly operator: Started;
}

export const storm: Scenario = {
  summary: `all pods of ${JOBS} jobs of ${PODS_A_JOB} fail within seconds: outcome of the jobs, time, status writes, rejected requests`,
  defaults: { size: JOBS, runs: 1 },
  nodes: (size) => Math.ceil((size * PODS_A_JOB) / PODS_OF_A_NODE) + 1,
  async run(context) {
    const client = createKubeClient(await loadCluster({ kubeconfig: context.kubeconfig }), {
      userAgent: 'muster-bench',
    });
    const operator = await startOperator(context);
    try {
      const kind = measuredKind(context.framework);
      context.note(`storm: creating ${context.size} jobs`);
      const jobs = Array.from({ length: context.size }, (_job, index) => {
        const runPolicy = { failurePolicy: { rules: [{ action: actionOf(index) }] } };
        return trainingJob(kind, `storm-${index}`, PODS_A_JOB, undefined, { runPolicy });
      });
      await makeRunningJobs(client, context, kind, jobs, LIMIT_MS);
      return await measure({ client, context, kind, operator });
    } finally {
      await stopServer(operator.child);
      await client.close();
    }
  },
};

function actionOf(index: number): Action {
  return ACTIONS[index % ACTIONS.length]!;
}

/** The name of a job, or of the job of a pod. */
function actionOfJob(name = ''): Action {
  return actionOf(Number(name.slice(name.lastIndexOf('-') + 1)));
}

async function measure(bench: Bench): Promise<Record<string, unknown>> {
  const { client, context, kind, operator } = bench;
  const { namespace, size } = context;
  const before = await podsOfJobs(client, namespace);
  const atServerBefore = await writesBesidesLeases(client);
  const ownBefore = await operatorRequests(operator.url);
  const cpuBefore = await cpuSeconds(operator.child);
  await using jobs = await Milestones.of(client, kind.resource, { namespace }, LIMIT_MS);
  await using pods = await Milestones.of(client, PODS, { namespace, labelSelector: JOB_NAME }, LIMIT_MS);
  context.note(`storm: ${before.length} pods fail`);
  const startMs = performance.now();
  const struck = await strike(bench, before);
  const struckMs = performance.now();
  const old = new Set(before.map(({ metadata }) => metadata?.uid));
  const [jobsMs, podsMs] = await Promise.all([
    jobs.when('each job has failed or runs again', (found) => found.length === size && found.every(isAsItMust)),
    pods.when('each pod of a continued job is new and runs', (found) => {
      const going = found.filter(isOfJobThatGoesOn);
      return going.length === podsThatGoOn(size) && going.every((pod) => isNewAndRuns(pod, old));
    }),
  ]);
  const writes = subtract(await writesBesidesLeases(client), atServerBefore);
  const refusals = subtract(await operatorRequests(operator.url), ownBefore);
  const found = (await podsOfJobs(client, namespace)).filter(isOfJobThatGoesOn);
  const problems = [
    ...wrongAttempts(found),
    ...exactly('pods created', writes['POST pods'] ?? 0, podsThatGoOn(size)),
    ...exactly('jobs counted as failed', await operatorCounter(operator.url, 'failed'), jobsThatFail(size)),
  ];
  if (problems.length > 0) throw new Error(`wrong counts after the storm: ${problems.join('; ')}`);
  const statusWritesPerJob = (writes[`PATCH ${kind.resource.plural} status`] ?? 0) / size;
  const refused = Object.entries(refusals).reduce((sum, [key, count]) => sum + (key.endsWith(' 429') ? count : 0), 0);
  return {
    jobs: size,
    pods: PODS_A_JOB,
    podsStruck: struck,
    strikeSeconds: inSeconds(struckMs - startMs),
    settledSeconds: inSeconds(Math.max(jobsMs, podsMs) - startMs),
    operatorCpuSeconds: Number(((await cpuSeconds(operator.child)) - cpuBefore).toFixed(2)),
    peakResidentMB: Number((await peakResidentMB(operator.child)).toFixed(1)),
    statusWritesPerJob: Number(statusWritesPerJob.toFixed(2)),
    refused,
    writes,
    goals: { statusWritesMet: statusWritesPerJob <= STATUS_WRITES_GOAL, noRefusalsMet: refused === 0 },
  };
}

/** The number of pods that failed: those that the operator has deleted meanwhile cannot fail. */
async function strike({ context, kind }: Bench, pods: readonly Pod[]): Promise<number> {
  const raw = await rawClient(await loadCluster({ kubeconfig: context.kubeconfig }), CONNECTIONS);
  let struck = 0;
  try {
    await withConcurrency(pods, CONNECTIONS, async ({ metadata }) => {
      const path = `/api/v1/namespaces/${context.namespace}/pods/${metadata?.name}/status`;
      const failed = { metadata: { uid: metadata?.uid }, status: failedStatus(kind, 1) };
      if (await raw.patch(path, failed)) struck++;
    });
    return struck;
  } finally {
    raw.close();
  }
}

function jobsThatFail(size: number): number {
  return Array.from({ length: size }, (_job, index) => actionOf(index)).filter((action) => action === 'FailJob').length;
}

function podsThatGoOn(size: number): number {
  return (size - jobsThatFail(size)) * PODS_A_JOB;
}

function isAsItMust({ metadata, status }: JobObject): boolean {
  return status?.state === (actionOfJob(metadata?.name) === 'FailJob' ? 'Failed' : 'Running');
}

function isOfJobThatGoesOn({ metadata }: Pod): boolean {
  return actionOfJob(metadata?.labels?.[JOB_NAME]) !== 'FailJob';
}

function isNewAndRuns({ metadata, status }: Pod, old: ReadonlySet<string | undefined>): boolean {
  return status?.phase === 'Running' && !old.has(metadata?.uid);
}

/** A job restarts once, however many of its pods failed meanwhile. */
function wrongAttempts(pods: readonly Pod[]): string[] {
  const wrong = pods.filter(({ metadata }) => {
    const attempt = metadata?.labels?.[LABELS.attempt];
    return attempt !== (actionOfJob(metadata?.labels?.[JOB_NAME]) === 'RestartJob' ? '1' : undefined);
  });
  return wrong.map(({ metadata }) => `${metadata?.name} is from attempt ${metadata?.labels?.[LABELS.attempt] ?? 0}`);
}

function exactly(what: string, count: number, wanted: number): string[] {
  return count === wanted ? [] : [`${what}: ${count} instead of ${wanted}`];
}

function inSeconds(ms: number): number {
  return Number((ms / 1000).toFixed(2));
}
