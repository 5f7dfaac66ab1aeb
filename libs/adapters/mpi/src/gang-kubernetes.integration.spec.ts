/** Kubernetes' own gang scheduling of an MPIJob whose launcher is created later: the gang is the workers. */
import { clusterDown, clusterUp, nativeGangs } from '@muster/cluster';
import { createJobOperator, gangSchedulerNamed, type JobOperator } from '@muster/common-job-controller';
import { crdFor, MPI_JOBS, mpiJobDefinition, NATIVE_POD_GROUPS, PODS } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { eventually, installCrd, loneOperatorOptions, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mpiAdapter } from './mpi-adapter.ts';

const CLUSTER = `gang-mpi-${process.pid}`;
const LIMIT_MS = 420_000;
const WITHIN_MS = 120_000;
const NAMESPACE = 'default';
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let client: ClusterClient;
let operator: JobOperator;

beforeAll(async () => {
  const { kubeconfig } = await clusterUp({
    name: CLUSTER,
    nodes: 1,
    ...nativeGangs({ kubernetesVersion: process.env.MUSTER_TEST_KUBERNETES_VERSION }),
  });
  client = createKubeClient(await loadCluster({ kubeconfig }), { userAgent: 'muster-test/0' });
  await installCrd(client, crdFor(mpiJobDefinition));
  const base = { client, namespaces: [NAMESPACE], serviceMode: 'PerJob', logger: silent } as const;
  const options = loneOperatorOptions({ ...base, clock: new TravelClock() });
  operator = createJobOperator({
    ...options,
    settings: { ...options.settings, gang: gangSchedulerNamed('kubernetes') },
    adapters: [mpiAdapter()],
    registry: new Registry(),
  });
  await operator.start();
  await eventually(() => operator.problems().length === 0, {
    withinMs: WITHIN_MS,
    describe: () => operator.problems(),
  });
}, LIMIT_MS);

afterAll(async () => {
  await operator?.stop();
  await client?.close();
  await clusterDown({ name: CLUSTER });
}, LIMIT_MS);

/** Each worker takes one of the node's eight GPUs; the launcher takes none. */
async function create(name: string, workers: number): Promise<void> {
  const container = { image: 'registry.example/train:1' };
  const limits = { 'nvidia.com/gpu': '1' };
  await client.create(MPI_JOBS, {
    apiVersion: 'kubeflow.org/v2beta1',
    kind: 'MPIJob',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      launcherCreationPolicy: 'WaitForWorkersReady',
      runPolicy: { suspend: false },
      mpiReplicaSpecs: {
        Launcher: { replicas: 1, template: { spec: { containers: [{ ...container, name: 'launcher' }] } } },
        Worker: {
          replicas: workers,
          template: { spec: { containers: [{ ...container, name: 'worker', resources: { limits } }] } },
        },
      },
    },
  } as never);
}

/** The job's pods, and whether each is on a node. */
async function placedOf(name: string): Promise<Record<string, boolean>> {
  const { items } = await client.list(PODS, { namespace: NAMESPACE });
  const own = items.filter(({ metadata }) => metadata?.name?.startsWith(`${name}-`));
  return Object.fromEntries(
    own.map(({ metadata, spec }) => [
      metadata?.name?.replace(/launcher-.*/, 'launcher') ?? '',
      spec?.nodeName !== undefined,
    ]),
  );
}

async function until(name: string, check: () => Promise<unknown>): Promise<void> {
  let seen: unknown;
  const checked = async () => {
    seen = [await placedOf(name), (await client.get(MPI_JOBS, { namespace: NAMESPACE, name })).status];
    await check();
    return true;
  };
  await eventually(checked, { withinMs: WITHIN_MS, describe: () => seen });
}

it('waits for the workers alone, and creates the launcher when all of them run', { timeout: LIMIT_MS }, async () => {
  await create('fits', 3);
  const all = { 'fits-worker-0': true, 'fits-worker-1': true, 'fits-worker-2': true, 'fits-launcher': true };
  await until('fits', async () => expect(await placedOf('fits')).toEqual(all));
  const { items } = await client.list(NATIVE_POD_GROUPS, { namespace: NAMESPACE });
  expect(items.map(({ metadata, spec }) => [metadata?.name, spec?.schedulingPolicy?.gang?.minCount])).toEqual([
    ['fits', 3],
  ]);
});

it('runs no worker and creates no launcher if the workers do not all fit', { timeout: LIMIT_MS }, async () => {
  await create('large', 9);
  await until('large', async () => {
    const { status } = await client.get(MPI_JOBS, { namespace: NAMESPACE, name: 'large' });
    const waiting = status?.conditions?.find(({ type }) => type === 'Waiting');
    expect(waiting).toMatchObject({ reason: 'Unschedulable' });
  });
  const workers = Array.from({ length: 9 }, (_, index) => [`large-worker-${index}`, false]);
  expect(await placedOf('large')).toEqual(Object.fromEntries(workers));
});
