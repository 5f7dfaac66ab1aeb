/**
 * What an operator costs that finds many jobs which are over: how long from the start of its process until `/readyz` says
 * yes, how much memory it holds, and what it writes, which is to be nothing but its Lease. One job is run to its end by the
 * operator; the others are made like it, with its spec and its status. The floor is the same list of jobs, read by a raw client.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createKubeClient, loadCluster } from '@muster/kube';
import { figure, spread } from '../figure.ts';
import { makeFinishedJobs } from '../finished-jobs.ts';
import { rawClient } from '../raw-client.ts';
import { subtract, total, writesBesidesLeases } from '../request-counts.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { cpuSeconds, peakResidentMB, residentMB, stopServer } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';
import { measuredKind, type MeasuredKind } from '../training-job.ts';

const JOBS = 10_000;
const SETTLE_MS = 30_000;
const READY_TARGET_SECONDS = 10;
const PEAK_TARGET_MB = 250;

interface Sample {
  readonly readySeconds: number;
  readonly residentMB: number;
  readonly peakMB: number;
  /** From the start until all has settled. */
  readonly cpuSeconds: number;
  /** At the API server, by verb and resource, without Leases. */
  readonly writes: Record<string, number>;
}

export const many: Scenario = {
  summary: `an operator started where ${JOBS} jobs are over: time to ready, memory, writes`,
  defaults: { runs: 3, size: JOBS },
  async run(context) {
    const kind = measuredKind(context.framework);
    await makeFinishedJobs(context, kind);
    const samples: Sample[] = [];
    const floors: number[] = [];
    for (let run = 1; run <= context.runs; run++) {
      context.note(`many: run ${run} of ${context.runs}`);
      floors.push(await listSeconds(context, kind));
      samples.push(await sample(context));
    }
    const peaks = samples.map(({ peakMB }) => peakMB);
    const writes = samples.map((each) => total(each.writes));
    return {
      jobs: context.size,
      readySeconds: figure(
        samples.map(({ readySeconds }) => readySeconds),
        floors,
        3,
        READY_TARGET_SECONDS,
      ),
      peakResidentMB: spread(peaks, 1),
      settledResidentMB: spread(
        samples.map((each) => each.residentMB),
        1,
      ),
      cpuSeconds: spread(
        samples.map((each) => each.cpuSeconds),
        2,
      ),
      writesBesidesLeases: spread(writes, 0),
      goals: { memoryMet: Math.max(...peaks) <= PEAK_TARGET_MB, noWritesMet: Math.max(...writes) === 0 },
      writesOfLastRun: samples.at(-1)?.writes,
    };
  },
};

/** What the operator has to read in any case, by whoever reads it quickest. */
async function listSeconds({ kubeconfig, namespace }: BenchContext, { resource }: MeasuredKind): Promise<number> {
  const raw = await rawClient(await loadCluster({ kubeconfig }), 1);
  try {
    const startMs = performance.now();
    await raw.get(`/apis/${resource.group}/${resource.version}/namespaces/${namespace}/${resource.plural}`);
    return (performance.now() - startMs) / 1000;
  } finally {
    raw.close();
  }
}

async function sample(context: BenchContext): Promise<Sample> {
  const client = createKubeClient(await loadCluster({ kubeconfig: context.kubeconfig }), { userAgent: 'muster-bench' });
  try {
    const before = await writesBesidesLeases(client);
    const { child, readySeconds } = await startOperator(context);
    try {
      // It is ready before it has looked at each job.
      await sleep(SETTLE_MS);
      return {
        readySeconds,
        residentMB: await residentMB(child),
        peakMB: await peakResidentMB(child),
        cpuSeconds: await cpuSeconds(child),
        writes: subtract(await writesBesidesLeases(client), before),
      };
    } finally {
      await stopServer(child);
    }
  } finally {
    await client.close();
  }
}
