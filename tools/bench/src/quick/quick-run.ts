/**
 * A small load of each framework, a storm of failures, and a job that grows and shrinks, in sequence on one cluster. Fails if a write is
 * repeated, too frequent or not counted. Prints times but does not check them: the machine may be busy.
 */
import { InterruptedError } from '@muster/cluster';
import { ENDPOINT_SLICES, PODS, SERVICES, type Resource } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { inBenchNamespace, onBenchCluster, type BenchCluster, type Place } from '../bench-cluster.ts';
import { jobSample } from '../jobs/job-sample.ts';
import { operatorCounter } from '../operator-counter.ts';
import type { Scenario } from '../scenario.ts';
import { elastic } from '../scenarios/elastic.ts';
import { storm } from '../scenarios/storm.ts';
import { stopServer } from '../server-process.ts';
import { startOperator } from '../start-operator.ts';
import { MEASURED_KINDS } from '../training-job.ts';
import { type MeasuredLoad, wrongCounts } from './wrong-counts.ts';

const JOBS = 20;
const PODS_A_JOB = 5;
const LIMIT_MS = 120_000;
const COUNTERS = ['created', 'successful', 'failed', 'restarted'];
/** These scenarios check their own counts: what a job does when pods fail, and whether pods that stay are affected when a job grows. */
const SCENARIOS_THAT_CHECK: Readonly<Record<string, { readonly scenario: Scenario; readonly size: number }>> = {
  storm: { scenario: storm, size: 12 },
  elastic: { scenario: elastic, size: 20 },
};
/** The objects of a job. */
const OWNED: readonly Resource[] = [PODS, SERVICES, ENDPOINT_SLICES];

/** Returns one line for each problem. */
export async function quickRun(note: (line: string) => void): Promise<string[]> {
  return onBenchCluster({}, (cluster) => quickRunOn(cluster, note));
}

async function quickRunOn(cluster: BenchCluster, note: (line: string) => void): Promise<string[]> {
  const problems: string[] = [];
  for (const [framework, kind] of Object.entries(MEASURED_KINDS)) {
    const load: MeasuredLoad = { kind, jobs: JOBS, pods: PODS_A_JOB, trainingMs: 1000 };
    const found = await inBenchNamespace(cluster, framework, (place) => played({ ...place, framework }, load, note));
    problems.push(...found.map((problem) => `${framework}: ${problem}`));
  }
  for (const [name, { scenario, size }] of Object.entries(SCENARIOS_THAT_CHECK)) {
    const framework = 'pytorch-elastic';
    const context = { framework, size, runs: 1, minutes: 1, note };
    const run = (place: Place) => scenario.run({ ...place, ...context });
    const problem = await inBenchNamespace(cluster, framework, run).then(
      (figures) => void note(`${name}: ${JSON.stringify(figures)}`),
      (error: unknown) => {
        if (error instanceof InterruptedError) throw error;
        return `${name}: ${error instanceof Error ? error.message : String(error)}`;
      },
    );
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

interface Where {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly framework: string;
}

async function played(where: Where, load: MeasuredLoad, note: (line: string) => void): Promise<string[]> {
  const { namespace, framework } = where;
  const access = await loadCluster({ kubeconfig: where.kubeconfig });
  const client = createKubeClient(access, { userAgent: 'muster-bench' });
  const operator = await startOperator(where);
  try {
    const bench = { access, client, namespace, cluster: undefined, operator, limitMs: LIMIT_MS, profiles: undefined };
    const { requests, created, succeeded = 0 } = await jobSample(bench, load, 'quick');
    note(
      `${framework}: ${JOBS} jobs of ${PODS_A_JOB} pods created in ${created.toFixed(1)} s, ended after ${succeeded.toFixed(1)} s`,
    );
    note(`  ${JSON.stringify(requests)}`);
    const counters = await countersOf(operator.url);
    return wrongCounts(load, { requests, counters, left: await leftIn(client, namespace) });
  } finally {
    await stopServer(operator.child);
    await client.close();
  }
}

async function countersOf(url: string): Promise<Record<string, number>> {
  return Object.fromEntries(
    await Promise.all(COUNTERS.map(async (name) => [name, await operatorCounter(url, name)] as const)),
  );
}

/** Garbage is collected with a delay, so wait until the objects of a deleted job are gone. */
async function leftIn(client: ClusterClient, namespace: string): Promise<Record<string, number>> {
  const count = async () =>
    Object.fromEntries(
      await Promise.all(
        OWNED.map(async (resource) => {
          const { items } = await client.list(resource, { namespace });
          return [resource.plural, items.length] as const;
        }),
      ),
    );
  const endMs = performance.now() + LIMIT_MS;
  for (;;) {
    const left = await count();
    if (Object.values(left).every((each) => each === 0) || performance.now() > endMs) return left;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
