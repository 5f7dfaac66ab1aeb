/**
 * A wide elastic job that grows by a tenth and shrinks again while it runs: the time until the workers run and are gone, beside the same
 * number of bare pods that a raw client creates and deletes. The other workers must not be affected: the run fails if one of them was
 * written, recreated or restarted, or if more pods than the difference were created or deleted. Nodes are simulated, so pods start and end
 * at once.
 */
import { LABELS, PODS, PYTORCH_JOBS, type Pod, type PyTorchJob } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterAccess, type ClusterClient } from '@muster/kube';
import { figure } from '../figure.ts';
import { withConcurrency } from '../jobs/with-concurrency.ts';
import { Milestones } from '../milestones.ts';
import { rawClient } from '../raw-client.ts';
import { apiServerRequests, subtract } from '../request-counts.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { stopServer } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';
import { barePod, containerOf, measuredKind } from '../training-job.ts';

const WORKERS = 500;
const PODS_OF_A_NODE = 100;
const LIMIT_MS = 300_000;
const CONNECTIONS = 64;
const KIND = measuredKind('pytorch-elastic');

interface Sample {
  readonly grownSeconds: number;
  readonly shrunkSeconds: number;
}

interface Measured extends Sample {
  readonly writesToWorkersThatStay: number;
  readonly created: number;
  readonly deleted: number;
  readonly requests: Record<string, number>;
}

export const elastic: Scenario = {
  summary: `one elastic job of ${WORKERS} workers that grows by a tenth and shrinks again: time, and effects on the other workers`,
  defaults: { runs: 3, size: WORKERS },
  nodes: (size) => Math.ceil((size + growthOf(size)) / PODS_OF_A_NODE) + 1,
  async run(context) {
    const access = await loadCluster({ kubeconfig: context.kubeconfig });
    const client = createKubeClient(access, { userAgent: 'muster-bench' });
    const operator = await startOperator(context);
    try {
      return await measure(client, access, context);
    } finally {
      await stopServer(operator.child);
      await client.close();
    }
  },
};

function growthOf(size: number): number {
  return Math.ceil(size / 10);
}

async function measure(client: ClusterClient, access: ClusterAccess, context: BenchContext) {
  const samples: Measured[] = [];
  const floors: Sample[] = [];
  for (let run = 1; run <= context.runs; run++) {
    context.note(`elastic: ${context.size} workers and ${growthOf(context.size)} more, run ${run} of ${context.runs}`);
    samples.push(await sample(client, context, `elastic-${run}`));
    // After the job, whose first pods have warmed up the cluster: a cold floor would be too high.
    floors.push(await floorSample(client, access, context, `floor-${run}`));
  }
  const of = (value: (each: Sample) => number) => figure(samples.map(value), floors.map(value), 2);
  const last = samples.at(-1);
  return {
    workers: context.size,
    more: growthOf(context.size),
    grownSeconds: of(({ grownSeconds }) => grownSeconds),
    shrunkSeconds: of(({ shrunkSeconds }) => shrunkSeconds),
    writesToWorkersThatStay: last?.writesToWorkersThatStay,
    created: last?.created,
    deleted: last?.deleted,
    requestsOfLastRun: last?.requests,
  };
}

const allRun = (size: number) => (pods: readonly Pod[]) =>
  pods.length === size && pods.every(({ status }) => status?.phase === 'Running');

async function sample(client: ClusterClient, { namespace, size }: BenchContext, name: string): Promise<Measured> {
  const where = { namespace, labelSelector: `${LABELS.jobName}=${name}` };
  const versions = async () =>
    new Map(
      (await client.list(PODS, where)).items.map(({ metadata }) => [metadata?.uid, metadata?.resourceVersion] as const),
    );
  const scaleTo = (replicas: number) =>
    client.patch(PYTORCH_JOBS, { namespace, name }, { spec: { replicas } }, { subresource: 'scale' });
  await using pods = await Milestones.of(client, PODS, where, LIMIT_MS);
  const larger = size + growthOf(size);
  await client.create(PYTORCH_JOBS, elasticJob(namespace, name, size, larger));
  await pods.when('all workers run', allRun(size));
  await using jobs = await Milestones.of(client, PYTORCH_JOBS, { namespace }, LIMIT_MS);
  await jobs.when('the status of the job counts them all', (all) =>
    all.some(({ status }) => status?.ready === `${size}/${size}`),
  );

  const requestsBefore = await apiServerRequests(client);
  const before = await versions();
  const startMs = performance.now();
  await scaleTo(larger);
  const grownSeconds = ((await pods.when('further workers run', allRun(larger))) - startMs) / 1000;
  const grown = await versions();
  const shrinkMs = performance.now();
  await scaleTo(size);
  const shrunkSeconds = ((await pods.when('further workers are gone', allRun(size))) - shrinkMs) / 1000;
  const after = await versions();
  const requests = subtract(await apiServerRequests(client), requestsBefore);

  // A pod's version changes with every write, including status writes and restarts.
  const stayed = [...before].filter(([uid, version]) => after.get(uid) === version).length;
  const created = [...grown.keys()].filter((uid) => !before.has(uid)).length;
  const deleted = [...grown.keys()].filter((uid) => !after.has(uid)).length;
  await client.delete(PYTORCH_JOBS, { namespace, name });
  await pods.when('all workers are gone', (all) => all.length === 0);
  const writesToWorkersThatStay = size - stayed;
  if (writesToWorkersThatStay > 0 || created !== larger - size || deleted !== larger - size) {
    throw new Error(
      `${writesToWorkersThatStay} of ${size} workers that stay were written or recreated; ${created} pods were created and ` +
        `${deleted} deleted, but ${larger - size} of each are enough`,
    );
  }
  return { grownSeconds, shrunkSeconds, writesToWorkersThatStay, created, deleted, requests };
}

/** The same number of bare pods as the job grows by. */
async function floorSample(
  client: ClusterClient,
  access: ClusterAccess,
  { namespace, size }: BenchContext,
  name: string,
): Promise<Sample> {
  const label = 'bench.muster.dev/floor';
  await using pods = await Milestones.of(client, PODS, { namespace, labelSelector: `${label}=${name}` }, LIMIT_MS);
  const raw = await rawClient(access, CONNECTIONS);
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const names = Array.from({ length: growthOf(size) }, (_pod, index) => `${name}-${index}`);
  try {
    const startMs = performance.now();
    const running = pods.when('all bare pods run', allRun(names.length));
    await withConcurrency(names, CONNECTIONS, (each) =>
      raw.post(path, barePod(KIND, each, { [label]: name }, undefined)),
    );
    const grownSeconds = ((await running) - startMs) / 1000;
    const shrinkMs = performance.now();
    const gone = pods.when('all bare pods are gone', (all) => all.length === 0);
    await withConcurrency(names, CONNECTIONS, (each) => raw.delete(`${path}/${each}`));
    return { grownSeconds, shrunkSeconds: ((await gone) - shrinkMs) / 1000 };
  } finally {
    raw.close();
  }
}

function elasticJob(namespace: string, name: string, replicas: number, maxReplicas: number): PyTorchJob {
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name, namespace },
    spec: {
      runPolicy: { suspend: false },
      elasticPolicy: { minReplicas: 1, maxReplicas },
      pytorchReplicaSpecs: { Worker: { replicas, template: { spec: { containers: [containerOf(KIND)] } } } },
    },
  };
}
