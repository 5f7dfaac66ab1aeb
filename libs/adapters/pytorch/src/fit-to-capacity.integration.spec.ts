/** An elastic job and the real scheduler on simulated nodes: too few at first, then more, then a preemption. */
import { createJobOperator, type JobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  NODES,
  PODS,
  PYTORCH_JOBS,
  pytorchJobDefinition,
  type ElasticStatus,
  type KubeObject,
  type Node,
  type Pod,
  type PyTorchJob,
  type Resource,
} from '@muster/job-api';
import { clusterDown, clusterUp, SIMULATED_NODE_LABEL, type Cluster } from '@muster/cluster';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { eventually, installCrd, loneOperatorOptions, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pytorchAdapter } from './pytorch-adapter.ts';

const CLUSTER = `fit-${process.pid}`;
const LIMIT_MS = 240_000;
const NAMESPACE = 'default';
const NAME = 'train';
const PRIORITY_CLASSES: Resource = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  namespaced: false,
};
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let client: ClusterClient;
let operator: JobOperator;

beforeAll(async () => {
  const cluster: Cluster = await clusterUp({ name: CLUSTER, nodes: 1 });
  client = createKubeClient(await loadCluster({ kubeconfig: cluster.kubeconfig }), { userAgent: 'muster-test/0' });
  await installCrd(client, crdFor(pytorchJobDefinition));
  const options = loneOperatorOptions({
    client,
    namespaces: [NAMESPACE],
    serviceMode: 'PerJob',
    clock: new TravelClock(),
    logger: silent,
  });
  operator = createJobOperator({ ...options, adapters: [pytorchAdapter()], registry: new Registry() });
  await operator.start();
}, LIMIT_MS);

afterAll(async () => {
  await operator?.stop();
  await client?.close();
  await clusterDown({ name: CLUSTER });
}, LIMIT_MS);

const using = (gpus: number) => ({
  containers: [
    { name: 'pytorch', image: 'registry.example/train:1', resources: { limits: { 'nvidia.com/gpu': String(gpus) } } },
  ],
});

/** Three workers, two of which fit on a node. */
const JOB: PyTorchJob = {
  apiVersion: 'kubeflow.org/v1',
  kind: 'PyTorchJob',
  metadata: { name: NAME, namespace: NAMESPACE },
  spec: {
    runPolicy: { suspend: false },
    elasticPolicy: {
      minReplicas: 1,
      maxReplicas: 3,
      fitToCapacity: { unschedulableSeconds: 2, retrySeconds: 3 },
    },
    // A preempted worker must not fail the job, whatever its restart policy.
    pytorchReplicaSpecs: { Worker: { replicas: 3, restartPolicy: 'Never', template: { spec: using(4) } } },
  },
};

async function workers(): Promise<string[]> {
  const { items } = await client.list(PODS, { namespace: NAMESPACE });
  const stateOf = ({ metadata, status }: Pod) => (metadata?.deletionTimestamp === undefined ? status?.phase : 'Going');
  const own = items.filter(({ metadata }) => metadata?.name?.startsWith(`${NAME}-worker-`));
  return own.map((pod) => `${pod.metadata?.name?.slice(`${NAME}-worker-`.length)} ${stateOf(pod)}`).sort();
}

/** Waits for this elastic status and that many running workers, whichever the scheduler has chosen. */
async function toBe(elastic: Partial<ElasticStatus>, running: number): Promise<PyTorchJob> {
  let seen: unknown;
  return eventually(
    async () => {
      const job = await client.get(PYTORCH_JOBS, { namespace: NAMESPACE, name: NAME });
      const there = await workers();
      seen = { status: job.status, there };
      expect(job.status?.elastic).toMatchObject(elastic);
      expect(there.map((pod) => pod.replace(/^\d+ /, ''))).toEqual(Array.from({ length: running }, () => 'Running'));
      return job;
    },
    { withinMs: 90_000, describe: () => ({ expected: { elastic, running }, seen }) },
  );
}

describe('an elastic job in a cluster that is too small for it', { timeout: LIMIT_MS }, () => {
  it('continues with the running workers, and has all of them again when there is room', async () => {
    await client.create(PYTORCH_JOBS, JOB);
    const small = await toBe({ wanted: 3, granted: 2, reason: 'Unschedulable' }, 2);
    expect(small.status).toMatchObject({ state: 'Running', ready: '2/2', restartCount: 0 });
    expect(small.spec.pytorchReplicaSpecs.Worker?.replicas).toBe(3);
    expect(small.metadata?.generation).toBe(1);
    await toBe({ granted: 2, reason: 'Unschedulable', attemptsInVain: 1 }, 2);

    const room = { cpu: '64', memory: '512Gi', pods: '110', 'nvidia.com/gpu': '8' };
    const node: Node = {
      metadata: { name: 'added', labels: { [SIMULATED_NODE_LABEL]: 'true', 'kubernetes.io/hostname': 'added' } },
      status: { allocatable: room, capacity: room },
    };
    await client.create(NODES, node);
    await toBe({ wanted: 3, granted: 3, reason: 'AsWanted' }, 3);
  });

  it('continues without a preempted worker, and has it again when the other pod is gone', async () => {
    await toBe({ granted: 3 }, 3);
    await client.create(PRIORITY_CLASSES, { metadata: { name: 'first' }, value: 1000 } as KubeObject);
    // A whole node: preempting the single worker on a node is the cheapest.
    const competitor: Pod = {
      metadata: { name: 'competitor', namespace: NAMESPACE },
      spec: { ...using(8), priorityClassName: 'first' },
    };
    // The API server applies a new PriorityClass a moment later.
    await eventually(() => client.create(PODS, competitor), { withinMs: 90_000 });
    const small = await toBe({ wanted: 3, granted: 2 }, 2);
    expect(small.status).toMatchObject({ state: 'Running', restartCount: 0 });
    expect(small.status?.conditions?.some(({ type }) => type === 'Failed')).toBe(false);
    await client.delete(PODS, { namespace: NAMESPACE, name: 'competitor' }, { gracePeriodSeconds: 0 });
    await toBe({ wanted: 3, granted: 3, reason: 'AsWanted' }, 3);
  });
});
