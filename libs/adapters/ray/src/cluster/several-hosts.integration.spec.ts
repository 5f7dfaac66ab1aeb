/** Worker groups of several hosts, on a real API server. */
import { createJobOperator } from '@muster/common-job-controller';
import { crdFor, PODS, RAY_CLUSTERS, rayClusterDefinition } from '@muster/job-api';
import { eventually, installCrd, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rayClusterAdapter } from './ray-cluster-adapter.ts';

const WITHIN_MS = 60_000;

const cluster = await testCluster();
const { client } = cluster;
const namespace = await cluster.namespace();
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let operator: Awaited<ReturnType<typeof started>> | undefined;

beforeAll(async () => {
  await installCrd(client, crdFor(rayClusterDefinition));
  const where = { client, namespaces: [namespace], resource: RAY_CLUSTERS } as const;
  const options = loneOperatorOptions({ ...where, serviceMode: 'PerJob', logger: silent, clock: new TravelClock() });
  const registry = new Registry();
  operator = await started(createJobOperator({ ...options, adapters: [rayClusterAdapter()], registry }), registry);
});
afterAll(() => operator?.stop());

/** `<pod>: replica <index>, host <index>`, for workers that are not terminating. */
async function workers(name: string): Promise<string[]> {
  const labelSelector = `ray.io/cluster=${name},ray.io/node-type=worker`;
  const { items } = await client.list(PODS, { namespace, labelSelector });
  return items
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .map(({ metadata }) => {
      const { 'ray.io/worker-group-replica-index': replica, 'ray.io/replica-host-index': host } =
        metadata?.labels ?? {};
      return `${metadata?.name}: replica ${replica}, host ${host}`;
    })
    .sort();
}

async function workersToBe(name: string, wanted: readonly string[]): Promise<void> {
  let seen: string[] = [];
  await eventually(async () => expect((seen = await workers(name))).toEqual(wanted), {
    withinMs: WITHIN_MS,
    describe: () => seen,
  });
}

it('delete a whole replica when a host is lost, and create another one with its index', async () => {
  const template = (name: string) => ({
    spec: { schedulerName: 'absent', containers: [{ name, image: 'registry.example/ray:2.60.0' }] },
  });
  await client.create(RAY_CLUSTERS, {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name: 'slices', namespace },
    spec: {
      rayVersion: '2.60.0',
      headGroupSpec: { template: template('ray-head') },
      workerGroupSpecs: [{ groupName: 'tpu', replicas: 2, numOfHosts: 2, template: template('ray-worker') }],
    },
  });
  await workersToBe('slices', [
    'slices-tpu-worker-0: replica 0, host 0',
    'slices-tpu-worker-1: replica 0, host 1',
    'slices-tpu-worker-2: replica 1, host 0',
    'slices-tpu-worker-3: replica 1, host 1',
  ]);
  // The operator has to observe the pod first; otherwise it would count as not created yet.
  await client.patchStatus(PODS, { namespace, name: 'slices-tpu-worker-1' }, { status: { phase: 'Running' } });
  const available = async () =>
    (await client.get(RAY_CLUSTERS, { namespace, name: 'slices' })).status?.availableWorkerReplicas;
  await eventually(async () => (await available()) === 1, { withinMs: WITHIN_MS, describe: available });
  await client.delete(PODS, { namespace, name: 'slices-tpu-worker-1' });
  await workersToBe('slices', [
    'slices-tpu-worker-2: replica 1, host 0',
    'slices-tpu-worker-3: replica 1, host 1',
    'slices-tpu-worker-4: replica 0, host 0',
    'slices-tpu-worker-5: replica 0, host 1',
  ]);
});
