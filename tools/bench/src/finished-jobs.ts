/** Jobs that are over, without the time that it takes to run each: one is run, the others get its spec and its status. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LABELS, PODS } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { inTurns } from './jobs/in-turns.ts';
import { Milestones } from './milestones.ts';
import type { BenchContext } from './scenario.ts';
import { stopServer } from './server-process.ts';
import { startOperator } from './start-operator.ts';
import { trainingJob, type JobObject, type MeasuredKind } from './training-job.ts';

const LIMIT_MS = 300_000;
const AT_ONCE = 64;
const MODEL = 'finished-0';
/** After a job's last pod is gone its status may be written once more. */
const SETTLE_MS = 5000;

/** There are `context.size` of them when it resolves, and no operator runs. They have no pods: their policy removes all. */
export async function makeFinishedJobs(context: BenchContext, kind: MeasuredKind): Promise<void> {
  const client = createKubeClient(await loadCluster({ kubeconfig: context.kubeconfig }), { userAgent: 'muster-bench' });
  try {
    context.note('one job is run to its end');
    const { metadata: { finalizers, labels, annotations } = {}, ...model } = await finishedJob(client, context, kind);
    const names = Array.from({ length: context.size - 1 }, (_job, index) => `finished-${index + 1}`);
    context.note(`${names.length} more are made like it`);
    await inTurns(names, AT_ONCE, async (name) => {
      const { namespace } = context;
      const metadata = { name, namespace, labels, annotations, finalizers };
      await client.create(kind.resource, { ...model, metadata } as JobObject);
      await client.patchStatus(kind.resource, { namespace, name }, { status: model.status });
    });
  } finally {
    await client.close();
  }
}

async function finishedJob(client: ClusterClient, context: BenchContext, kind: MeasuredKind): Promise<JobObject> {
  const { namespace } = context;
  const job = trainingJob(kind, MODEL, 3, 100) as JobObject & { spec: object };
  const { child } = await startOperator(context);
  try {
    await using jobs = await Milestones.of(client, kind.resource, { namespace }, LIMIT_MS);
    const where = { namespace, labelSelector: `${LABELS.jobName}=${MODEL}` };
    await using pods = await Milestones.of(client, PODS, where, LIMIT_MS);
    const cleaned = { ...job, spec: { ...job.spec, runPolicy: { cleanPodPolicy: 'All' } } };
    await client.create(kind.resource, { ...cleaned, metadata: { name: MODEL, namespace } });
    await jobs.when('the job has succeeded', (found) => found.some(({ status }) => status?.state === 'Succeeded'));
    await pods.when('its pods are gone', (found) => found.length === 0);
    await sleep(SETTLE_MS);
  } finally {
    await stopServer(child);
  }
  return client.get(kind.resource, { namespace, name: MODEL });
}
