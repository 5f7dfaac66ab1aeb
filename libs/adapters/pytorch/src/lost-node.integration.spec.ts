/** Pods on a lost node: the API server keeps a deleted pod until the kubelet confirms its end, and there is none. */
import { randomUUID } from 'node:crypto';
import { createJobOperator, type JobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  EVENTS,
  NODES,
  PODS,
  PYTORCH_JOBS,
  pytorchJobDefinition,
  type Pod,
  type PyTorchJob,
} from '@muster/job-api';
import { createKubeClient, loadCluster } from '@muster/kube';
import { eventually, installCrd, loneOperatorOptions, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { pytorchAdapter } from './pytorch-adapter.ts';

const WITHIN_MS = 90_000;
const TIMEOUT_SECONDS = 60;
const cluster = await testCluster();
const { client } = cluster;
/** With the rights of the chart. */
const operators = createKubeClient(await loadCluster({ kubeconfig: cluster.operatorKubeconfig('pytorch-elastic') }), {
  userAgent: 'muster-test/0',
});
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

afterAll(() => operators.close());

beforeAll(() => installCrd(client, crdFor(pytorchJobDefinition)));

async function operator(namespace: string, forceDeletePodsOnLostNodes: boolean, as = operators): Promise<JobOperator> {
  const start = {
    client: as,
    namespaces: [namespace],
    resource: PYTORCH_JOBS,
    serviceMode: 'PerJob',
    logger: silent,
  } as const;
  const options = loneOperatorOptions({ ...start, clock });
  const settings = { ...options.settings, forceDeletePodsOnLostNodes };
  const created = createJobOperator({ ...options, settings, adapters: [pytorchAdapter()], registry: new Registry() });
  onTestFinished(() => created.stop());
  await created.start();
  return created;
}

let clock: TravelClock;

/** A job of a master and a worker on a node without a kubelet, and an operator. */
async function fixture(forceDeletePodsOnLostNodes: boolean) {
  const [namespace, nodeName] = [await cluster.namespace(), `node-${randomUUID().slice(0, 8)}`];
  clock = new TravelClock();
  await client.create(NODES, { metadata: { name: nodeName } });
  onTestFinished(() => client.delete(NODES, { name: nodeName }));
  await setReady(nodeName, 'True');
  const running = await operator(namespace, forceDeletePodsOnLostNodes);
  await eventually(() => running.problems().length === 0, { withinMs: WITHIN_MS, describe: () => running.problems() });
  const template = { spec: { nodeName, containers: [{ name: 'pytorch', image: 'registry.example/train:1' }] } };
  const job: PyTorchJob = {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name: 'job', namespace },
    spec: {
      runPolicy: { suspend: false, lostNodeTimeoutSeconds: TIMEOUT_SECONDS },
      pytorchReplicaSpecs: { Master: { template }, Worker: { template } },
    },
  };
  await client.create(PYTORCH_JOBS, job);
  return { namespace, nodeName };
}

async function setReady(name: string, status: 'True' | 'Unknown'): Promise<void> {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const ready = { type: 'Ready', status, lastTransitionTime, lastHeartbeatTime: lastTransitionTime };
  await client.patchStatus(NODES, { name }, { status: { conditions: [ready] } });
}

async function podsOf(namespace: string): Promise<Record<string, Pod>> {
  const { items } = await client.list(PODS, { namespace });
  return Object.fromEntries(items.map((pod) => [pod.metadata?.name ?? '', pod] as const));
}

async function podToBe(namespace: string, what: string, name: string, holds: (pod: Pod) => boolean): Promise<Pod> {
  let seen: Pod | undefined;
  return eventually(
    async () => {
      seen = (await podsOf(namespace))[name];
      return seen !== undefined && holds(seen) && seen;
    },
    { withinMs: WITHIN_MS, describe: () => ({ expected: `${name}: ${what}`, seen: seen?.metadata }) },
  );
}

async function eventToBe(namespace: string, reason: string): Promise<string> {
  let seen: (string | undefined)[] = [];
  return eventually(
    async () => {
      const { items } = await client.list(EVENTS, { namespace });
      seen = items.map((event) => event.reason);
      return items.find((event) => event.reason === reason)?.note ?? '';
    },
    { withinMs: WITHIN_MS, describe: () => ({ expected: reason, emitted: seen }) },
  );
}

/** Deletes the pod and waits until only a change of its node triggers another reconcile run. */
async function deleteAndWait(namespace: string, name: string): Promise<Pod> {
  const pod = await podToBe(namespace, 'is there', name, () => true);
  await client.delete(PODS, { namespace, name });
  await podToBe(namespace, 'is going', name, ({ metadata }) => metadata?.deletionTimestamp !== undefined);
  clock.advance(600_000);
  await eventToBe(namespace, 'PodStuckTerminating');
  return pod;
}

it('is deleted by force when the node is lost for long enough, and its replica is recreated', async () => {
  const { namespace, nodeName } = await fixture(true);
  const { metadata } = await deleteAndWait(namespace, 'job-worker-0');
  const before = await podToBe(namespace, 'is still there', 'job-worker-0', () => true);
  expect(before.metadata?.uid).toBe(metadata?.uid);
  await setReady(nodeName, 'Unknown');
  // By the operator's clock: it may observe the loss only now.
  await podToBe(namespace, 'is recreated', 'job-worker-0', (pod) => {
    clock.advance(10_000);
    return pod.metadata?.uid !== metadata?.uid;
  });
  expect(await eventToBe(namespace, 'ForcedDeletePod')).toMatch(
    `Pod job-worker-0 was force-deleted: its node ${nodeName}`,
  );
  const master = (await podsOf(namespace))['job-master-0'];
  expect(master?.metadata?.deletionTimestamp).toBeUndefined();
});

it('is deleted by force also when the job is suspended', async () => {
  const { namespace, nodeName } = await fixture(true);
  await podToBe(namespace, 'is there', 'job-worker-0', () => true);
  await client.patch(PYTORCH_JOBS, { namespace, name: 'job' }, { spec: { runPolicy: { suspend: true } } });
  for (const name of ['job-master-0', 'job-worker-0'])
    await podToBe(namespace, 'is going', name, (pod) => pod.metadata?.deletionTimestamp !== undefined);
  await setReady(nodeName, 'Unknown');
  await eventually(
    async () => {
      clock.advance(10_000);
      return Object.keys(await podsOf(namespace)).length === 0;
    },
    { withinMs: WITHIN_MS, describe: async () => Object.keys(await podsOf(namespace)) },
  );
});

it('is kept by an operator without the flag, which reports it', async () => {
  const { namespace, nodeName } = await fixture(false);
  expect(await eventToBe(namespace, 'LostNodeTimeoutIgnored')).toContain('--force-delete-pods-on-lost-nodes');
  await setReady(nodeName, 'Unknown');
  const { metadata } = await deleteAndWait(namespace, 'job-worker-0');
  expect((await podsOf(namespace))['job-worker-0']?.metadata?.uid).toBe(metadata?.uid);
});

it('requires the right to read nodes in the whole cluster only with the flag', async () => {
  clock = new TravelClock();
  const namespace = await cluster.namespace();
  const user = cluster.as(`operator-${randomUUID()}`);
  const [withFlag, without] = [await operator(namespace, true, user), await operator(namespace, false, user)];
  const lack = 'not allowed to list, watch nodes in all namespaces';
  const missing = (each: JobOperator) => each.problems().filter((problem) => problem.startsWith('not allowed to'));
  await eventually(() => missing(withFlag).length > 0 && missing(without).length > 0, {
    withinMs: WITHIN_MS,
    describe: () => [withFlag.problems(), without.problems()],
  });
  expect([withFlag, without].map((each) => missing(each).some((problem) => problem.startsWith(lack)))).toEqual([
    true,
    false,
  ]);
});
