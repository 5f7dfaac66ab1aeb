/**
 * One wide job whose failure policy restarts the job: one pod fails, and all are recreated. Measures the time until the old pods are gone,
 * until all new pods exist, and until all run, and the operator's requests. No pod of the next attempt may exist before the last pod of the
 * previous one is gone, no pod may be deleted or created twice, and there are only a few status writes, for any number of pods. Nodes are
 * simulated, so pods start and end at once; the scheduler is real.
 */
import { LABELS, PODS, PYTORCH_JOBS, type Pod, type PyTorchJob } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { spread } from '../figure.ts';
import { Milestones } from '../milestones.ts';
import { operatorRequests, subtract } from '../request-counts.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { cpuSeconds, peakResidentMB, stopServer, type Started } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';
import { containerOf, failedStatus, measuredKind } from '../training-job.ts';

const WORKERS = 5000;
const PODS_OF_A_NODE = 100;
const LIMIT_MS = 900_000;
const KIND = measuredKind('pytorch-elastic');

interface Sample {
  readonly goneSeconds: number;
  readonly createdSeconds: number;
  readonly runningSeconds: number;
  readonly cpuSeconds: number;
  readonly requests: Record<string, number>;
}

export const restart: Scenario = {
  summary: `one job of ${WORKERS} workers that restarts when one fails: time, requests, CPU and memory`,
  defaults: { runs: 1, size: WORKERS },
  nodes: (size) => Math.ceil(size / PODS_OF_A_NODE),
  async run(context) {
    const access = await loadCluster({ kubeconfig: context.kubeconfig });
    const client = createKubeClient(access, { userAgent: 'muster-bench' });
    const operator = await startOperator(context);
    try {
      return await measure(client, operator, context);
    } finally {
      await stopServer(operator.child);
      await client.close();
    }
  },
};

async function measure(client: ClusterClient, operator: Started, context: BenchContext) {
  const samples: Sample[] = [];
  for (let run = 1; run <= context.runs; run++) {
    context.note(`restart: ${context.size} workers, run ${run} of ${context.runs}`);
    samples.push(await sample(client, operator, context, `restart-${run}`));
  }
  const of = (value: (each: Sample) => number) => spread(samples.map(value), 2);
  return {
    workers: context.size,
    goneSeconds: of(({ goneSeconds }) => goneSeconds),
    createdSeconds: of(({ createdSeconds }) => createdSeconds),
    runningSeconds: of(({ runningSeconds }) => runningSeconds),
    cpuSeconds: of((each) => each.cpuSeconds),
    peakResidentMB: Number((await peakResidentMB(operator.child)).toFixed(1)),
    operatorRequestsOfLastRun: samples.at(-1)?.requests,
  };
}

async function sample(client: ClusterClient, operator: Started, context: BenchContext, name: string) {
  const { namespace, size } = context;
  const where = { namespace, labelSelector: `${LABELS.jobName}=${name}` };
  await using pods = await Milestones.of(client, PODS, where, LIMIT_MS);
  const all = (found: readonly Pod[]) =>
    found.length === size && found.every(({ status }) => status?.phase === 'Running');
  await client.create(PYTORCH_JOBS, wideJob(namespace, name, size));
  await pods.when('all pods run', all);
  context.note('restart: all pods run; failing one');
  const requestsBefore = await operatorRequests(operator.url);
  const cpuBefore = await cpuSeconds(operator.child);
  const startMs = performance.now();
  const seconds = async (at: Promise<number>) => ((await at) - startMs) / 1000;
  let sawBoth = false;
  const times = Promise.all([
    seconds(
      pods.when('the pods of the first attempt are gone', (found) => {
        const made = found.filter(isOfNextAttempt).length;
        sawBoth ||= made > 0 && made < found.length;
        return made === found.length;
      }),
    ),
    seconds(pods.when('all pods of the next attempt exist', (found) => found.filter(isOfNextAttempt).length === size)),
    seconds(pods.when('all pods of the next attempt run', (found) => all(found) && found.every(isOfNextAttempt))),
  ]);
  await client.patchStatus(PODS, { namespace, name: `${name}-worker-${size - 1}` }, { status: failedStatus(KIND, 1) });
  const [goneSeconds, createdSeconds, runningSeconds] = await times;
  const cpu = (await cpuSeconds(operator.child)) - cpuBefore;
  const requests = subtract(await operatorRequests(operator.url), requestsBefore);
  await client.delete(PYTORCH_JOBS, { namespace, name });
  await pods.when('all pods are gone', (found) => found.length === 0);
  if (sawBoth) throw new Error(`pods of two attempts of ${name} existed at the same time`);
  return { goneSeconds, createdSeconds, runningSeconds, cpuSeconds: cpu, requests };
}

function isOfNextAttempt({ metadata }: Pod): boolean {
  return metadata?.labels?.[LABELS.attempt] === '1';
}

function wideJob(namespace: string, name: string, replicas: number): PyTorchJob {
  const template = { spec: { containers: [containerOf(KIND)] } };
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name, namespace },
    spec: {
      runPolicy: { suspend: false, failurePolicy: { rules: [{ action: 'RestartJob' }] } },
      pytorchReplicaSpecs: { Worker: { replicas, template } },
    },
  };
}
