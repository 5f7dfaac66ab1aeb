/**
 * Takeover of running RayClusters from KubeRay 1.7 on a real API server, without changing a pod. The objects have
 * KubeRay's form: random pod names, its labels, hash and version, its status and finalizers.
 */
import { createJobOperator } from '@muster/common-job-controller';
import { crdFor, PODS, RAY_CLUSTERS, rayClusterDefinition, type Pod, type RayCluster } from '@muster/job-api';
import { eventually, installCrd, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { rayClusterAdapter } from './ray-cluster-adapter.ts';

const WITHIN_MS = 60_000;
const TIME = '2026-01-02T03:04:05Z';
const HASH = 'ray.io/upgrade-strategy-recreate-hash';
const VERSION = 'ray.io/kuberay-version';
const REPLICA_INDEX = 'ray.io/worker-group-replica-index';
const CLEAN_UP = 'ray.io/gcs-ft-redis-cleanup-finalizer';

const cluster = await testCluster();
const { client } = cluster;
const namespace = await cluster.namespace();
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function startOperator() {
  const start = {
    client,
    namespaces: [namespace],
    resource: RAY_CLUSTERS,
    serviceMode: 'PerJob',
    logger: silent,
  } as const;
  const registry = new Registry();
  const options = loneOperatorOptions({ ...start, clock: new TravelClock() });
  return started(createJobOperator({ ...options, adapters: [rayClusterAdapter()], registry }), registry);
}

let operator: Awaited<ReturnType<typeof startOperator>> | undefined;

beforeAll(() => installCrd(client, crdFor(rayClusterDefinition)));

// KubeRay's objects exist before Muster starts.
afterEach(() => operator?.stop());

const template = (name: string) => ({
  spec: { schedulerName: 'absent', containers: [{ name, image: 'registry.example/ray:2.60.0' }] },
});

/** A running cluster of KubeRay, with a head and two workers. */
async function madeByKubeRay(name: string, spec: Partial<RayCluster['spec']> = {}, finalizers: string[] = []) {
  const made = await client.create(RAY_CLUSTERS, {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name, namespace, finalizers },
    spec: {
      rayVersion: '2.60.0',
      headGroupSpec: { rayStartParams: {}, template: template('ray-head') },
      workerGroupSpecs: [{ groupName: 'small', replicas: 2, template: template('ray-worker') }],
      ...spec,
    },
  });
  const uid = made.metadata?.uid ?? '';
  const pods = [
    await createPod(name, uid, `${name}-head-x7k2p`, 'headgroup'),
    await createPod(name, uid, `${name}-small-worker-b4c6d`, 'small', { [REPLICA_INDEX]: '0' }),
    await createPod(name, uid, `${name}-small-worker-zw2qm`, 'small', { [REPLICA_INDEX]: '1' }),
  ];
  const condition = (type: string, reason: string) => ({
    ...{ type, status: 'True', reason, message: '', lastTransitionTime: TIME },
  });
  const status = {
    state: 'ready',
    desiredWorkerReplicas: 2,
    availableWorkerReplicas: 2,
    conditions: [
      condition('HeadPodReady', 'HeadPodRunningAndReady'),
      condition('RayClusterProvisioned', 'AllPodRunningAndReadyFirstTime'),
    ],
    stateTransitionTimes: { ready: TIME },
    observedGeneration: 1,
  };
  await client.patchStatus(RAY_CLUSTERS, { namespace, name }, { status });
  return pods.map(({ metadata }) => metadata?.uid).sort();
}

async function createPod(
  owner: string,
  uid: string,
  name: string,
  group: string,
  labels: Record<string, string> = {},
): Promise<Pod> {
  const type = group === 'headgroup' ? 'head' : 'worker';
  await client.create(PODS, {
    metadata: {
      name,
      namespace,
      labels: {
        'ray.io/is-ray-node': 'yes',
        'ray.io/cluster': owner,
        'ray.io/node-type': type,
        'ray.io/group': group,
        'ray.io/identifier': `${owner}-${type}`,
        'app.kubernetes.io/name': 'kuberay',
        'app.kubernetes.io/created-by': 'kuberay-operator',
        ...labels,
      },
      annotations: { 'ray.io/ft-enabled': 'false', [HASH]: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', [VERSION]: 'v1.7.0' },
      ownerReferences: [
        { apiVersion: 'ray.io/v1', kind: 'RayCluster', name: owner, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: template(`ray-${type}`).spec,
  });
  const container = `ray-${type}`;
  const state = { running: { startedAt: TIME } };
  return client.patchStatus(
    PODS,
    { namespace, name },
    {
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [{ name: container, state, ready: true, restartCount: 0, image: '', imageID: '' }],
      },
    },
  );
}

async function podsOf(name: string): Promise<Pod[]> {
  return (await client.list(PODS, { namespace, labelSelector: `ray.io/cluster=${name}` })).items;
}

/** Waits until Muster's record of the cluster is Running. */
async function takenOver(name: string): Promise<RayCluster> {
  let seen: RayCluster | undefined;
  return eventually(
    async () => {
      seen = await client.get(RAY_CLUSTERS, { namespace, name });
      return seen.status?.muster?.state === 'Running' && seen;
    },
    { withinMs: WITHIN_MS, describe: () => seen?.status },
  );
}

it('are taken over without changing a pod, and lost pods are recreated with a number', async () => {
  const uids = await madeByKubeRay('plain');
  operator = await startOperator();
  const { status } = await takenOver('plain');
  expect(status).toMatchObject({ state: 'ready', availableWorkerReplicas: 2, stateTransitionTimes: { ready: TIME } });
  expect((await podsOf('plain')).map(({ metadata }) => metadata?.uid).sort()).toEqual(uids);

  await client.delete(PODS, { namespace, name: 'plain-small-worker-b4c6d' });
  const replicas = await eventually(
    async () => {
      const found = (await podsOf('plain')).map(
        ({ metadata }) => `${metadata?.name} ${metadata?.labels?.[REPLICA_INDEX] ?? '-'}`,
      );
      return found.length === 3 && !found.includes('plain-small-worker-b4c6d 0') && found.sort();
    },
    { withinMs: WITHIN_MS, describe: () => podsOf('plain') },
  );
  expect(replicas).toEqual(['plain-head-x7k2p -', 'plain-small-worker-2 0', 'plain-small-worker-zw2qm 1']);
});

it('are not recreated under upgradeStrategy Recreate: their pods get a new hash', async () => {
  const uids = await madeByKubeRay('stamped', { upgradeStrategy: { type: 'Recreate' } });
  operator = await startOperator();
  await takenOver('stamped');
  const stamps = await eventually(
    async () => {
      const found = (await podsOf('stamped')).map(({ metadata }) => metadata?.annotations ?? {});
      return found.every(({ [VERSION]: version }) => version === 'muster') && found.map(({ [HASH]: hash }) => hash);
    },
    { withinMs: WITHIN_MS, describe: () => podsOf('stamped') },
  );
  expect(new Set(stamps).size).toBe(1);
  expect((await podsOf('stamped')).map(({ metadata }) => metadata?.uid).sort()).toEqual(uids);
});

it('are deleted, although they have a finalizer without any work', async () => {
  await madeByKubeRay('finalized', {}, [CLEAN_UP]);
  operator = await startOperator();
  await takenOver('finalized');
  await client.delete(RAY_CLUSTERS, { namespace, name: 'finalized' });
  await eventually(
    async () =>
      (await client.list(RAY_CLUSTERS, { namespace })).items.every(({ metadata }) => metadata?.name !== 'finalized'),
    { withinMs: WITHIN_MS, describe: () => client.get(RAY_CLUSTERS, { namespace, name: 'finalized' }) },
  );
});
