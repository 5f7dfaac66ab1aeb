import { ManualClock } from '@muster/controller';
import type { KubeObject } from '@muster/job-api';
import { NAMESPACED_SERIES } from '@muster/metrics';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { CountedNamespaces } from './counted-namespaces.ts';
import { JobMetrics } from './job-metrics.ts';

const MINUTE_MS = 60_000;

class Counting {
  readonly registry = new Registry();
  readonly clock = new ManualClock();
  readonly jobs: Record<'clusters' | 'jobs', string[]> = { clusters: [], jobs: [] };
  readonly namespaces = new CountedNamespaces(this.registry, this.clock, [
    { list: () => objectsIn(this.jobs.clusters) },
    { list: () => objectsIn(this.jobs.jobs) },
  ]);
  readonly clusters = new JobMetrics(this.registry, { framework: 'ray', kind: 'RayCluster' }, this.namespaces);
  readonly rayJobs = new JobMetrics(this.registry, { framework: 'ray', kind: 'RayJob' }, this.namespaces);

  async metricsOf(namespace: string): Promise<string[]> {
    const lines = await this.lines(namespace);
    return [...new Set(lines.map((line) => line.replace(/(_bucket|_sum|_count)?\{.*/, '')))].sort();
  }

  async lines(namespace: string): Promise<string[]> {
    const text = await this.registry.metrics();
    return text.split('\n').filter((line) => line.includes(`job_namespace="${namespace}"`));
  }

  async pass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      this.clock.advance(MINUTE_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const objectsIn = (namespaces: readonly string[]): KubeObject[] =>
  namespaces.map((namespace, at) => ({ metadata: { name: `job-${at}`, namespace } }));

const ENDED = {
  counters: ['failed' as const],
  restartCauses: ['ProgramFailed' as const],
  failures: ['Program' as const],
  latencies: [{ stage: 'running' as const, seconds: 1 }],
};

async function started(): Promise<{ counting: Counting; stop: () => void }> {
  const counting = new Counting();
  const end = new AbortController();
  void counting.namespaces.run(end.signal);
  counting.jobs.clusters = ['team-a', 'team-b'];
  for (const namespace of counting.jobs.clusters) counting.clusters.begin(namespace);
  counting.clusters.count('team-a', ENDED);
  await counting.pass(10);
  return { counting, stop: () => end.abort() };
}

const ALL = NAMESPACED_SERIES.map(({ name }) => name).sort();

it('removes every series of a namespace an hour after its last job is gone, and no other series', async () => {
  const { counting, stop } = await started();
  expect(await counting.metricsOf('team-a')).toEqual(ALL);
  const ofOther = await counting.lines('team-b');
  counting.jobs.clusters = ['team-b'];
  await counting.pass(59);
  expect(await counting.metricsOf('team-a')).toEqual(ALL);
  await counting.pass(6);
  expect(await counting.lines('team-a')).toEqual([]);
  expect(await counting.lines('team-b')).toEqual(ofOther);
  stop();
  expect(counting.clock.pendingTimers).toBe(0);
});

it('keeps the series of a namespace that has a job of any kind, however long it is idle', async () => {
  const { counting, stop } = await started();
  counting.jobs.clusters = [];
  counting.jobs.jobs = ['team-a'];
  counting.rayJobs.begin('team-a');
  await counting.pass(600);
  expect(await counting.metricsOf('team-a')).toEqual(ALL);
  expect((await counting.lines('team-a')).filter((line) => line.includes('kind="RayCluster"'))).not.toEqual([]);
  stop();
});

it('counts the hour from the deletion of the last job', async () => {
  const { counting, stop } = await started();
  for (let round = 0; round < 3; round++) {
    counting.jobs.clusters = [];
    await counting.pass(50);
    counting.clusters.begin('team-a');
    expect(await counting.metricsOf('team-a')).toEqual(ALL);
  }
  await counting.pass(65);
  expect(await counting.metricsOf('team-a')).toEqual([]);
  stop();
});

it('starts at 0 again for a job created after the series of its namespace were removed', async () => {
  const { counting, stop } = await started();
  const failed = async () =>
    (await counting.lines('team-a')).filter((line) => line.startsWith('training_operator_jobs_failed'));
  expect(await failed()).toEqual(['training_operator_jobs_failed_total{job_namespace="team-a",framework="ray"} 1']);
  counting.jobs.clusters = [];
  await counting.pass(65);
  counting.jobs.clusters = ['team-a'];
  counting.clusters.begin('team-a');
  expect(await failed()).toEqual(['training_operator_jobs_failed_total{job_namespace="team-a",framework="ray"} 0']);
  counting.clusters.count('team-a', ENDED);
  expect(await failed()).toEqual(['training_operator_jobs_failed_total{job_namespace="team-a",framework="ray"} 1']);
  stop();
});

it('removes series that are counted after the series of the namespace were removed', async () => {
  const { counting, stop } = await started();
  counting.jobs.clusters = [];
  await counting.pass(65);
  counting.clusters.count('team-a', { counters: ['deleted'] });
  expect(await counting.metricsOf('team-a')).not.toEqual([]);
  await counting.pass(65);
  expect(await counting.metricsOf('team-a')).toEqual([]);
  stop();
});
