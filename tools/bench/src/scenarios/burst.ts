/**
 * Many small jobs at once: how long until all have succeeded, and which requests that costs for each of them. Nodes are
 * simulated, so pods start at once; the scheduler is real.
 */
import { PYTORCH_JOBS } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { spread } from '../figure.ts';
import { Milestones } from '../milestones.ts';
import { apiServerRequests, subtract } from '../request-counts.ts';
import type { Scenario } from '../scenario.ts';
import { cpuSeconds, stopServer, type Started } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';
import { trainingJob } from '../training-job.ts';

const JOBS = 100;
const WORKERS = 10;
const LIMIT_MS = 300_000;

interface Sample {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Of all clients, for each job: scheduler and simulated nodes are among them. */
  readonly requestsPerJob: Record<string, number>;
}

export const burst: Scenario = {
  summary: `${JOBS} jobs of ${WORKERS} workers at once: time to succeeded, requests for each job, CPU`,
  async run(context) {
    const { kubeconfig, namespace, runs } = context;
    const client = createKubeClient(await loadCluster({ kubeconfig }), { userAgent: 'muster-bench' });
    const operator = await startOperator(context);
    try {
      const samples: Sample[] = [];
      for (let run = 1; run <= runs; run++) {
        context.note(`burst: run ${run} of ${runs}`);
        samples.push(await sample(client, namespace, operator, `burst-${run}`));
      }
      return {
        jobs: JOBS,
        workers: WORKERS,
        succeededSeconds: spread(
          samples.map(({ seconds }) => seconds),
          3,
        ),
        cpuSeconds: spread(
          samples.map((each) => each.cpuSeconds),
          2,
        ),
        statusWritesPerJob: spread(
          samples.map(({ requestsPerJob }) => requestsPerJob['PATCH pytorchjobs status'] ?? 0),
          2,
        ),
        requestsPerJobOfLastRun: samples.at(-1)?.requestsPerJob,
      };
    } finally {
      await stopServer(operator.child);
      await client.close();
    }
  },
};

async function sample(client: ClusterClient, namespace: string, operator: Started, name: string): Promise<Sample> {
  await using jobs = await Milestones.of(client, PYTORCH_JOBS, { namespace }, LIMIT_MS);
  const before = await apiServerRequests(client);
  const cpuBefore = await cpuSeconds(operator.child);
  const startMs = performance.now();
  const names = Array.from({ length: JOBS }, (_job, index) => `${name}-${index}`);
  await Promise.all(names.map((each) => client.create(PYTORCH_JOBS, trainingJob(namespace, each, WORKERS))));
  const endMs = await jobs.when('all jobs have succeeded', (all) =>
    names.every((each) => all.find(({ metadata }) => metadata?.name === each)?.status?.state === 'Succeeded'),
  );
  const spent = (await cpuSeconds(operator.child)) - cpuBefore;
  const requests = Object.entries(subtract(await apiServerRequests(client), before));
  await Promise.all(names.map((each) => client.delete(PYTORCH_JOBS, { namespace, name: each })));
  return {
    seconds: (endMs - startMs) / 1000,
    cpuSeconds: spent,
    requestsPerJob: Object.fromEntries(requests.map(([verb, count]) => [verb, count / JOBS])),
  };
}
