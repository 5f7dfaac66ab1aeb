/** A load as jobs, which the operator runs: when it reached each phase, and what it cost. */
import { PODS } from '@muster/job-api';
import { clusterCpu, cpuSince } from '../cluster-processes.ts';
import { hasSucceeded, isRunning } from '../kinds/job-kind.ts';
import { Milestones } from '../milestones.ts';
import { profiled } from '../profiles.ts';
import { rawClient } from '../raw-client.ts';
import { apiServerRequests, subtract } from '../request-counts.ts';
import { cpuSeconds } from '../server-process.ts';
import { FLOOR_LABEL } from './floor.ts';
import { withConcurrency } from './with-concurrency.ts';
import type { LoadBench } from './load-bench.ts';
import { podCount, type Load, type Times } from './load.ts';
import { podMoments } from './pod-phases.ts';

export interface JobSample extends Times {
  readonly operatorCpu: number;
  readonly clusterCpu: Record<string, number>;
  /** Of all clients, including controllers, scheduler and simulated nodes. */
  readonly requests: Record<string, number>;
}

const CONNECTIONS = 64;

export async function jobSample(bench: LoadBench, load: Load, prefix: string): Promise<JobSample> {
  const { access, client, namespace, cluster, operator, limitMs, profiles } = bench;
  const { resource } = load.kind;
  await using pods = await Milestones.of(client, PODS, { namespace, labelSelector: `!${FLOOR_LABEL}` }, limitMs);
  await using jobs = await Milestones.of(client, resource, { namespace }, limitMs);
  const raw = await rawClient(access, CONNECTIONS);
  try {
    const path = `/apis/${resource.group}/${resource.version}/namespaces/${namespace}/${resource.plural}`;
    const names = Array.from({ length: load.jobs }, (_job, index) => `${prefix}-${index}`);
    const before = { requests: await apiServerRequests(client), cluster: await clusterCpu(cluster) };
    const operatorBefore = await cpuSeconds(operator.child);
    const startMs = performance.now();
    const moments = [
      ...podMoments(pods, { all: podCount(load), ends: 0 }),
      load.trainingMs === undefined
        ? jobs.when('all jobs run', (all) => all.filter(isRunning).length >= load.jobs)
        : jobs.when('all jobs have succeeded', (all) => all.filter(hasSucceeded).length >= load.jobs),
    ];
    const reached = await profiled(raw, profiles, prefix, async () => {
      await withConcurrency(names, CONNECTIONS, (each) =>
        raw.post(path, load.kind.manifest(each, load.pods, load.trainingMs)),
      );
      return Promise.all(moments);
    });
    const [created = 0, allRun = 0, last = 0] = reached.map((ms) => (ms - startMs) / 1000);
    const sample = {
      created,
      ...(load.trainingMs === undefined ? { running: Math.max(allRun, last) } : { running: allRun, succeeded: last }),
      operatorCpu: (await cpuSeconds(operator.child)) - operatorBefore,
      clusterCpu: cpuSince(await clusterCpu(cluster), before.cluster),
      requests: subtract(await apiServerRequests(client), before.requests),
    };
    const gone = Promise.all([
      jobs.when('all jobs are gone', (all) => all.length === 0),
      pods.when('all their pods are gone', (all) => all.length === 0),
    ]);
    await raw.delete(path);
    await gone;
    return sample;
  } finally {
    raw.close();
  }
}
