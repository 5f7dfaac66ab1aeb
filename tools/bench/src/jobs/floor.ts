/**
 * The floor of a load: the same number of bare pods, created by a raw client, until they reach the same phase. No controller can be faster.
 * If the objects of a job are given, the floor consists of these: pods and all others.
 */
import { PODS, SERVICES, type Resource } from '@muster/job-api';
import { clusterCpu, cpuSince } from '../cluster-processes.ts';
import { Milestones } from '../milestones.ts';
import { profiled } from '../profiles.ts';
import { rawClient, type RawClient } from '../raw-client.ts';
import type { OwnObjects } from '../kinds/own-objects.ts';
import { apiServerRequests, subtract } from '../request-counts.ts';
import { barePod } from '../training-job.ts';
import { withConcurrency } from './with-concurrency.ts';
import type { LoadBench } from './load-bench.ts';
import type { Load, Times } from './load.ts';
import { podMoments } from './pod-phases.ts';

export interface FloorSample extends Times {
  readonly clusterCpu: Record<string, number>;
  /** Of all clients. */
  readonly requests: Record<string, number>;
}

const CONNECTIONS = 64;
/** The label of all objects of a floor; its value is the name of the sample. */
export const FLOOR_LABEL = 'bench.muster.dev/floor';

export async function floorSample(
  bench: LoadBench,
  load: Load,
  name: string,
  own: OwnObjects = bareObjects(load),
): Promise<FloorSample> {
  const { access, client, namespace, cluster, limitMs, profiles } = bench;
  const labels = { [FLOOR_LABEL]: name };
  const labelSelector = `${FLOOR_LABEL}=${name}`;
  await using pods = await Milestones.of(client, PODS, { namespace, labelSelector }, limitMs);
  const raw = await rawClient(access, CONNECTIONS);
  try {
    const objects = Array.from({ length: load.jobs }, (_job, index) =>
      own.each(`${name}-${index}`, load.trainingMs, labels),
    ).flat();
    const counts = { all: load.jobs * own.pods, ends: load.trainingMs === undefined ? 0 : load.jobs * own.podsThatEnd };
    const before = { requests: await apiServerRequests(client), cluster: await clusterCpu(cluster) };
    const startMs = performance.now();
    const moments = podMoments(pods, counts);
    const reached = await profiled(raw, profiles, name, async () => {
      await withConcurrency(objects, CONNECTIONS, ({ resource, object }) =>
        raw.post(collectionPath(resource, namespace), object),
      );
      return Promise.all(moments);
    });
    const [created = 0, running = 0, succeeded] = reached.map((ms) => (ms - startMs) / 1000);
    const spent = {
      clusterCpu: cpuSince(await clusterCpu(cluster), before.cluster),
      requests: subtract(await apiServerRequests(client), before.requests),
    };
    const gone = pods.when('all bare pods are gone', (all) => all.length === 0);
    await Promise.all(
      [...new Set(objects.map(({ resource }) => resource))].map((resource) =>
        removeAll(bench, raw, resource, labelSelector),
      ),
    );
    await gone;
    return { created, running, ...(succeeded !== undefined && { succeeded }), ...spent };
  } finally {
    raw.close();
  }
}

function bareObjects({ kind, pods }: Load): OwnObjects {
  return {
    pods,
    podsThatEnd: pods,
    each: (name, trainingMs, labels) =>
      Array.from({ length: pods }, (_pod, index) => ({
        resource: PODS,
        object: barePod(kind, `${name}-${index}`, labels, trainingMs),
      })),
  };
}

function collectionPath({ group, version, plural }: Resource, namespace: string): string {
  const api = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${api}/namespaces/${namespace}/${plural}`;
}

async function removeAll(bench: LoadBench, raw: RawClient, resource: Resource, labelSelector: string): Promise<void> {
  const path = collectionPath(resource, bench.namespace);
  if (resource.plural !== SERVICES.plural) {
    // The pods of a Job are deleted with it.
    return raw.delete(`${path}?propagationPolicy=Background&labelSelector=${encodeURIComponent(labelSelector)}`);
  }
  const { items } = await bench.client.list(resource, { namespace: bench.namespace, labelSelector });
  await withConcurrency(items, CONNECTIONS, ({ metadata }) => raw.delete(`${path}/${metadata?.name}`));
}
