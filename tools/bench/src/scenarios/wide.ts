/**
 * One job of many workers: how long from its creation until all pods are there, all run, and the job has succeeded; what
 * that costs the operator, and which requests it makes. Beside it, in turns, the floor: as many bare pods and Services,
 * made by a raw client with as many connections. Nodes are simulated, so pods start at once; the scheduler is real.
 */
import { PODS, PYTORCH_JOBS, SERVICES, type KubeObject, type Pod, type PyTorchJob } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterAccess, type ClusterClient } from '@muster/kube';
import { figure, spread } from '../figure.ts';
import { Milestones } from '../milestones.ts';
import { rawClient } from '../raw-client.ts';
import { apiServerRequests, operatorRequests, subtract } from '../request-counts.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { CONTAINER, TRAINS_AND_SUCCEEDS, trainingJob } from '../training-job.ts';
import { cpuSeconds, peakResidentMB, residentMB, stopServer, type Started } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';

const WORKERS = 100;
/** What a job has by default beside its pods: its own Service, and worker 0's. */
const SERVICES_OF_JOB = 2;
/** As many as the operator's client has. */
const CONNECTIONS = 32;
const LIMIT_MS = 180_000;
const CREATED_TARGET_RATIO = 2;

/** Seconds since the first request. */
interface Times {
  created: number;
  running: number;
  succeeded: number;
}

interface JobSample extends Times {
  /** The job says that all run. */
  ready: number;
  cpuSeconds: number;
  requests: Record<string, number>;
}

interface Bench {
  readonly access: ClusterAccess;
  readonly client: ClusterClient;
  readonly namespace: string;
  readonly operator: Started;
}

export const wide: Scenario = {
  summary: `one job of ${WORKERS} workers: time to created, running and succeeded, requests, CPU and memory`,
  async run(context) {
    const access = await loadCluster({ kubeconfig: context.kubeconfig });
    const client = createKubeClient(access, { userAgent: 'muster-bench' });
    const { namespace } = context;
    const operator = await startOperator(context);
    try {
      return await measure({ access, client, namespace, operator }, context);
    } finally {
      await stopServer(operator.child);
      await client.close();
    }
  },
};

async function measure(bench: Bench, context: BenchContext): Promise<Record<string, unknown>> {
  context.note('wide: warming up');
  await jobSample(bench, 'warm-up', 2);
  const idleMB = await residentMB(bench.operator.child);
  const jobs: JobSample[] = [];
  const floors: Times[] = [];
  let atServer: Record<string, number> = {};
  for (let run = 1; run <= context.runs; run++) {
    context.note(`wide: run ${run} of ${context.runs}`);
    floors.push(await floorSample(bench, `floor-${run}`));
    const before = await apiServerRequests(bench.client);
    jobs.push(await jobSample(bench, `wide-${run}`, WORKERS));
    atServer = subtract(await apiServerRequests(bench.client), before);
  }
  const compare = (value: (job: JobSample) => number, floor: (times: Times) => number, target?: number) => {
    const floorValues = floors.map(floor);
    const ratioTarget = target === undefined ? undefined : target * spread(floorValues, 6).median;
    return figure(jobs.map(value), floorValues, 3, ratioTarget);
  };
  const created = compare(
    ({ created }) => created,
    ({ created }) => created,
    CREATED_TARGET_RATIO,
  );
  return {
    workers: WORKERS,
    createdSeconds: { ...created, target: `ratio below ${CREATED_TARGET_RATIO}` },
    runningSeconds: compare(
      ({ running }) => running,
      ({ running }) => running,
    ),
    readySeconds: compare(
      ({ ready }) => ready,
      ({ running }) => running,
    ),
    // Both with the pods' own time in it.
    succeededSeconds: compare(
      ({ succeeded }) => succeeded,
      ({ succeeded }) => succeeded,
    ),
    cpuSeconds: spread(
      jobs.map((job) => job.cpuSeconds),
      2,
    ),
    residentMB: {
      idle: Number(idleMB.toFixed(1)),
      peak: Number((await peakResidentMB(bench.operator.child)).toFixed(1)),
    },
    operatorRequestsOfLastRun: jobs.at(-1)?.requests,
    // Of all clients: scheduler, simulated nodes and this measurement are among them.
    apiServerRequestsOfLastRun: atServer,
  };
}

async function jobSample({ client, namespace, operator }: Bench, name: string, workers: number): Promise<JobSample> {
  const where = { namespace, labelSelector: `training.kubeflow.org/job-name=${name}` };
  await using pods = await Milestones.of(client, PODS, where, LIMIT_MS);
  await using jobs = await Milestones.of(client, PYTORCH_JOBS, { namespace }, LIMIT_MS);
  const status = (of: readonly PyTorchJob[]) => of.find(({ metadata }) => metadata?.name === name)?.status;
  const requestsBefore = await operatorRequests(operator.url);
  const cpuBefore = await cpuSeconds(operator.child);
  const startMs = performance.now();
  const seconds = async (at: Promise<number>) => ((await at) - startMs) / 1000;
  const times = Promise.all([
    seconds(pods.when('all pods are created', (all) => all.length === workers)),
    seconds(pods.when('all pods run', (all) => inPhase(all, 'Running', 'Succeeded') === workers)),
    seconds(
      jobs.when(
        'the job says that all run',
        (all) => status(all)?.ready === `${workers}/${workers}` || status(all)?.state === 'Succeeded',
      ),
    ),
    seconds(jobs.when('the job has succeeded', (all) => status(all)?.state === 'Succeeded')),
  ]);
  await client.create(PYTORCH_JOBS, trainingJob(namespace, name, workers));
  const [created, running, ready, succeeded] = await times;
  const spent = (await cpuSeconds(operator.child)) - cpuBefore;
  const requests = subtract(await operatorRequests(operator.url), requestsBefore);
  await client.delete(PYTORCH_JOBS, { namespace, name });
  await pods.when('all pods are gone', (all) => all.length === 0);
  return { created, running, ready, succeeded, cpuSeconds: spent, requests };
}

async function floorSample({ access, client, namespace }: Bench, name: string): Promise<Times> {
  const labels = { 'bench.muster.dev/floor': name };
  const where = { namespace, labelSelector: `bench.muster.dev/floor=${name}` };
  await using pods = await Milestones.of(client, PODS, where, LIMIT_MS);
  const raw = await rawClient(access, CONNECTIONS);
  const startMs = performance.now();
  const seconds = async (at: Promise<number>) => ((await at) - startMs) / 1000;
  const times = Promise.all([
    seconds(pods.when('all pods are created', (all) => all.length === WORKERS)),
    seconds(pods.when('all pods run', (all) => inPhase(all, 'Running', 'Succeeded') === WORKERS)),
    seconds(pods.when('all pods have succeeded', (all) => inPhase(all, 'Succeeded') === WORKERS)),
  ]);
  const path = `/api/v1/namespaces/${namespace}`;
  const named = (index: number) => `${name}-worker-${index}`;
  await Promise.all([
    ...Array.from({ length: SERVICES_OF_JOB }, (_, index) =>
      raw.post(`${path}/services`, service(named(index), labels)),
    ),
    ...Array.from({ length: WORKERS }, (_, index) => raw.post(`${path}/pods`, barePod(named(index), labels))),
  ]);
  const [created, running, succeeded] = await times;
  raw.close();
  const all = Array.from({ length: WORKERS }, (_, index) => client.delete(PODS, { namespace, name: named(index) }));
  for (let index = 0; index < SERVICES_OF_JOB; index++)
    await client.delete(SERVICES, { namespace, name: named(index) });
  await Promise.all(all);
  await pods.when('all pods are gone', (all) => all.length === 0);
  return { created, running, succeeded };
}

function inPhase(pods: readonly Pod[], ...phases: string[]): number {
  return pods.filter(({ status }) => phases.includes(status?.phase ?? '')).length;
}

function barePod(name: string, labels: Record<string, string>): KubeObject {
  const { labels: simulated, annotations } = TRAINS_AND_SUCCEEDS;
  const spec = { containers: [CONTAINER], restartPolicy: 'OnFailure' };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { ...labels, ...simulated }, annotations } };
  return { ...pod, ...{ spec } };
}

function service(name: string, labels: Record<string, string>): KubeObject {
  const spec = { clusterIP: 'None', selector: labels, ports: [{ port: 23456 }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, labels }, ...{ spec } };
}
