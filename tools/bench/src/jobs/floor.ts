/** The floor of a load: as many bare pods, made by a raw client, until they are as far. No controller can be quicker. */
import { PODS } from '@muster/job-api';
import { clusterCpu, cpuSince } from '../cluster-processes.ts';
import { Milestones } from '../milestones.ts';
import { profiled } from '../profiles.ts';
import { rawClient } from '../raw-client.ts';
import { barePod } from '../training-job.ts';
import { inTurns } from './in-turns.ts';
import type { LoadBench } from './load-bench.ts';
import { podCount, type Load, type Times } from './load.ts';
import { podMoments } from './pod-phases.ts';

export interface FloorSample extends Times {
  readonly clusterCpu: Record<string, number>;
}

const CONNECTIONS = 64;

export async function floorSample(bench: LoadBench, load: Load, name: string): Promise<FloorSample> {
  const { access, client, namespace, cluster, limitMs, profiles } = bench;
  const label = 'bench.muster.dev/floor';
  const labelSelector = `${label}=${name}`;
  await using pods = await Milestones.of(client, PODS, { namespace, labelSelector }, limitMs);
  const raw = await rawClient(access, CONNECTIONS);
  try {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const names = Array.from({ length: podCount(load) }, (_pod, index) => `${name}-${index}`);
    const cpuBefore = await clusterCpu(cluster);
    const startMs = performance.now();
    const moments = podMoments(pods, load, load.trainingMs === undefined ? 0 : podCount(load));
    const reached = await profiled(raw, profiles, name, async () => {
      await inTurns(names, CONNECTIONS, (each) =>
        raw.post(path, barePod(load.kind, each, { [label]: name }, load.trainingMs)),
      );
      return Promise.all(moments);
    });
    const [created = 0, running = 0, succeeded] = reached.map((ms) => (ms - startMs) / 1000);
    const spent = cpuSince(await clusterCpu(cluster), cpuBefore);
    const gone = pods.when('all bare pods are gone', (all) => all.length === 0);
    await raw.delete(`${path}?labelSelector=${encodeURIComponent(labelSelector)}`);
    await gone;
    return { created, running, ...(succeeded !== undefined && { succeeded }), clusterCpu: spent };
  } finally {
    raw.close();
  }
}
