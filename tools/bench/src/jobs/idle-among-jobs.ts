/** The cost of an operator while many jobs run and nothing happens: CPU, memory, and writes, of which there must be none. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createKubeClient, loadCluster } from '@muster/kube';
import { subtract, total, writesBesidesLeases } from '../request-counts.ts';
import type { BenchContext } from '../scenario.ts';
import { cpuSeconds, peakResidentMB, residentMB, stopServer } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';
import { measuredKind, trainingJob } from '../training-job.ts';
import { makeRunningJobs } from './running-jobs.ts';

const PODS_A_JOB = 2;
const PODS_OF_A_NODE = 100;
const LIMIT_MS = 900_000;
/** Delayed writes after the last job started (counts of statuses, events) are done by then. */
const SETTLE_MS = 30_000;
const CPU_GOAL_PER_CENT = 0.5;

export function nodesForIdleJobs(jobs: number): number {
  return Math.ceil((jobs * PODS_A_JOB) / PODS_OF_A_NODE) + 1;
}

export async function idleAmongJobs(context: BenchContext): Promise<Record<string, unknown>> {
  const { size, minutes } = context;
  const kind = measuredKind(context.framework);
  const client = createKubeClient(await loadCluster({ kubeconfig: context.kubeconfig }), { userAgent: 'muster-bench' });
  const { child } = await startOperator(context);
  try {
    context.note(`idle: creating ${size} jobs`);
    const jobs = Array.from({ length: size }, (_job, index) =>
      trainingJob(kind, `idle-${index}`, PODS_A_JOB, undefined),
    );
    await makeRunningJobs(client, context, kind, jobs, LIMIT_MS);
    await sleep(SETTLE_MS);
    context.note(`idle: measuring for ${minutes} min`);
    const before = { writes: await writesBesidesLeases(client), cpu: await cpuSeconds(child) };
    await sleep(minutes * 60_000);
    const cpuPerCent = (((await cpuSeconds(child)) - before.cpu) / (minutes * 60)) * 100;
    const writes = subtract(await writesBesidesLeases(client), before.writes);
    return {
      jobs: size,
      pods: PODS_A_JOB,
      minutes,
      cpuPerCent: Number(cpuPerCent.toFixed(2)),
      residentMB: Number((await residentMB(child)).toFixed(1)),
      peakResidentMB: Number((await peakResidentMB(child)).toFixed(1)),
      writes,
      goals: { cpuMet: cpuPerCent <= CPU_GOAL_PER_CENT, noWritesMet: total(writes) === 0 },
    };
  } finally {
    await stopServer(child);
    await client.close();
  }
}
