/**
 * The command line in a cluster without Muster: with CRDs, labels and statuses of upstream operators.
 * No operator runs the jobs; the test writes their status.
 */
import { clusterDown, clusterUp, type Cluster } from '@muster/cluster';
import type { JobManifest } from '@muster/common-job-controller';
import {
  apiVersionOf,
  CUSTOM_RESOURCE_DEFINITIONS,
  JAX_JOBS,
  LABELS,
  MPI_JOBS,
  MX_JOBS,
  PADDLE_JOBS,
  PODS,
  PYTORCH_JOBS,
  RAY_CLUSTERS,
  RAY_JOBS,
  TF_JOBS,
  XGBOOST_JOBS,
  type CustomResourceDefinition,
  type JobCondition,
  type KubeObject,
  type Resource,
} from '@muster/job-api';
import { createKubeClient, isKubeError, loadCluster, type ClusterClient } from '@muster/kube';
import { eventually, installCrd, upstreamCrd, UPSTREAM_STATUS } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { muster, type Ended } from '../test-support/command-line.ts';

const CLUSTER = `upstream-${process.pid}`;
const NAMESPACE = 'default';
const NAME = 'theirs';
const LIMIT_MS = 240_000;

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const text = { type: 'string' };
const count = { type: 'integer', format: 'int32' };

interface UpstreamKind {
  readonly title: string;
  readonly resource: Resource<JobManifest>;
  /** The schema of the spec and the status, with the fields that commands use. */
  readonly schema: { readonly spec: object; readonly status: object };
  readonly spec: object;
  /** The labels of the operator, by the name of the pod. */
  readonly pods: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly running: object;
  /** Undefined: it never ends. */
  readonly succeeded?: object;
  /** The replicas in the output of `get`. */
  readonly replicas: readonly string[];
  /** The output of `suspend`. Default: that the job is suspended. */
  readonly suspending?: { readonly code: number; readonly message: string };
  /** The output of `scale theirs 3`. */
  readonly scaling: { readonly code: number; readonly message: string };
}

function template(container: string) {
  return { spec: { containers: [{ name: container, image: 'registry.example/train:1' }] } };
}

function roles(container: string, counts: Readonly<Record<string, number>>) {
  return Object.fromEntries(
    Object.entries(counts).map(([role, replicas]) => [role, { replicas, template: template(container) }]),
  );
}

/** In releases since 1.7; earlier ones do not have `suspend`. */
function kubeflowSchema(field: string, hasSuspend = true) {
  const own = { cleanPodPolicy: text, backoffLimit: count, ...(hasSuspend && { suspend: { type: 'boolean' } }) };
  const spec = {
    type: 'object',
    properties: {
      ...{ [field]: anything, runPolicy: { type: 'object', properties: own } },
      ...{ jobMode: text, slotsPerWorker: count, elasticPolicy: anything },
    },
  };
  return { spec, status: UPSTREAM_STATUS };
}

/** Created, Running and the others, all true, as these operators write them. */
function conditions(kind: string, ...types: readonly string[]): { conditions: JobCondition[] } {
  return {
    conditions: ['Created', 'Running', ...types].map((type) => ({
      ...{ type, status: 'True', reason: `${kind}${type}`, message: `${kind} ${NAMESPACE}/${NAME} is ${type}.` },
      ...{ lastUpdateTime: '2026-01-01T00:00:00Z', lastTransitionTime: '2026-01-01T00:00:00Z' },
    })),
  };
}

function numbered(operator: string, role: string, index: number, more: Readonly<Record<string, string>> = {}) {
  const labels = { [LABELS.operatorName]: operator, [LABELS.jobName]: NAME, [LABELS.replicaType]: role };
  return { ...labels, [LABELS.replicaIndex]: String(index), ...more };
}

function rayNode(type: 'head' | 'worker', group: string) {
  return {
    'ray.io/cluster': NAME,
    'ray.io/is-ray-node': 'yes',
    'ray.io/node-type': type,
    'ray.io/group': group,
    'ray.io/identifier': `${NAME}-${type}`,
    'app.kubernetes.io/name': 'kuberay',
    'app.kubernetes.io/created-by': 'kuberay-operator',
  };
}

const master = { [LABELS.jobRole]: 'master' };
const rayClusterSpec = {
  headGroupSpec: { rayStartParams: {}, template: template('ray-head') },
  workerGroupSpecs: [
    {
      ...{ groupName: 'small', replicas: 1, minReplicas: 0, maxReplicas: 5 },
      ...{ rayStartParams: {} },
      template: template('ray-worker'),
    },
  ],
};

const OPERATORS: readonly UpstreamKind[] = [
  {
    title: 'TFJob of training-operator 1.9',
    resource: TF_JOBS,
    schema: kubeflowSchema('tfReplicaSpecs'),
    spec: { tfReplicaSpecs: roles('tensorflow', { PS: 1, Worker: 2 }) },
    pods: {
      'theirs-ps-0': numbered('tfjob-controller', 'ps', 0),
      'theirs-worker-0': numbered('tfjob-controller', 'worker', 0, master),
      'theirs-worker-1': numbered('tfjob-controller', 'worker', 1),
    },
    running: { ...conditions('TFJob'), replicaStatuses: { PS: { active: 1 }, Worker: { active: 2 } } },
    succeeded: { ...conditions('TFJob', 'Succeeded'), completionTime: '2026-01-01T01:00:00Z' },
    replicas: ['ps-0', 'worker-0', 'worker-1'],
    scaling: { code: 1, message: 'TF_CONFIG of each pod lists all pods' },
  },
  {
    title: 'PyTorchJob of training-operator 1.9',
    resource: PYTORCH_JOBS,
    schema: kubeflowSchema('pytorchReplicaSpecs'),
    spec: {
      elasticPolicy: { minReplicas: 1, maxReplicas: 4 },
      pytorchReplicaSpecs: roles('pytorch', { Worker: 2 }),
    },
    pods: {
      'theirs-worker-0': numbered('pytorchjob-controller', 'worker', 0, master),
      'theirs-worker-1': numbered('pytorchjob-controller', 'worker', 1),
    },
    running: { ...conditions('PyTorchJob'), replicaStatuses: { Worker: { active: 2, selector: 'a=b' } } },
    succeeded: conditions('PyTorchJob', 'Succeeded'),
    replicas: ['worker-0', 'worker-1'],
    scaling: { code: 0, message: 'Worker scaled from 2 to 3' },
  },
  {
    title: 'JAXJob of training-operator 1.9',
    resource: JAX_JOBS,
    schema: kubeflowSchema('jaxReplicaSpecs'),
    spec: { jaxReplicaSpecs: roles('jax', { Worker: 2 }) },
    pods: {
      'theirs-worker-0': numbered('jaxjob-controller', 'worker', 0, master),
      'theirs-worker-1': numbered('jaxjob-controller', 'worker', 1),
    },
    running: { ...conditions('JAXJob'), replicaStatuses: { Worker: { active: 2, selector: 'a=b' } } },
    succeeded: { ...conditions('JAXJob', 'Succeeded'), completionTime: '2026-01-01T01:00:00Z' },
    replicas: ['worker-0', 'worker-1'],
    scaling: { code: 1, message: 'NUM_PROCESSES of its pods is fixed' },
  },
  {
    title: 'XGBoostJob of training-operator 1.9',
    resource: XGBOOST_JOBS,
    schema: kubeflowSchema('xgbReplicaSpecs'),
    spec: { xgbReplicaSpecs: roles('xgboost', { Master: 1, Worker: 2 }) },
    pods: {
      'theirs-master-0': numbered('xgboostjob-controller', 'master', 0, master),
      'theirs-worker-0': numbered('xgboostjob-controller', 'worker', 0),
      'theirs-worker-1': numbered('xgboostjob-controller', 'worker', 1),
    },
    running: { ...conditions('XGBoostJob'), replicaStatuses: { Master: { active: 1 }, Worker: { active: 2 } } },
    succeeded: conditions('XGBoostJob', 'Succeeded'),
    replicas: ['master-0', 'worker-0', 'worker-1'],
    scaling: { code: 1, message: 'cannot be scaled' },
  },
  {
    title: 'PaddleJob of training-operator 1.9',
    resource: PADDLE_JOBS,
    schema: kubeflowSchema('paddleReplicaSpecs'),
    spec: { paddleReplicaSpecs: roles('paddle', { Master: 1, Worker: 1 }) },
    pods: {
      'theirs-master-0': numbered('paddlejob-controller', 'master', 0, master),
      'theirs-worker-0': numbered('paddlejob-controller', 'worker', 0),
    },
    running: { ...conditions('PaddleJob'), replicaStatuses: { Master: { active: 1 }, Worker: { active: 1 } } },
    succeeded: conditions('PaddleJob', 'Succeeded'),
    replicas: ['master-0', 'worker-0'],
    scaling: { code: 1, message: 'PADDLE_NNODES of its pods is fixed' },
  },
  {
    title: 'MPIJob v1 of training-operator 1.9',
    resource: { ...MPI_JOBS, version: 'v1' },
    schema: kubeflowSchema('mpiReplicaSpecs'),
    spec: { slotsPerWorker: 1, mpiReplicaSpecs: roles('mpi', { Launcher: 1, Worker: 2 }) },
    pods: {
      'theirs-launcher': {
        ...{ [LABELS.operatorName]: 'mpijob-controller', [LABELS.jobName]: NAME },
        ...{ [LABELS.replicaType]: 'launcher', ...master },
      },
      'theirs-worker-0': numbered('mpijob-controller', 'worker', 0),
      'theirs-worker-1': numbered('mpijob-controller', 'worker', 1),
    },
    running: { ...conditions('MPIJob'), replicaStatuses: { Launcher: { active: 1 }, Worker: { active: 2 } } },
    succeeded: conditions('MPIJob', 'Succeeded'),
    replicas: ['launcher', 'worker-0', 'worker-1'],
    scaling: { code: 0, message: 'Worker scaled from 2 to 3' },
  },
  {
    title: 'MPIJob v2beta1 of mpi-operator',
    resource: { ...MPI_JOBS, version: 'v2beta1' },
    schema: kubeflowSchema('mpiReplicaSpecs'),
    spec: { slotsPerWorker: 1, mpiReplicaSpecs: roles('mpi', { Launcher: 1, Worker: 2 }) },
    pods: {
      'theirs-launcher-x7k2p': {
        ...{ [LABELS.operatorName]: 'mpi-operator', [LABELS.jobName]: NAME, [LABELS.jobRole]: 'launcher' },
        ...{ 'job-name': 'theirs-launcher', 'batch.kubernetes.io/job-name': 'theirs-launcher' },
      },
      'theirs-worker-0': {
        ...{ [LABELS.operatorName]: 'mpi-operator', [LABELS.jobName]: NAME, [LABELS.jobRole]: 'worker' },
        [LABELS.replicaIndex]: '0',
      },
      'theirs-worker-1': {
        ...{ [LABELS.operatorName]: 'mpi-operator', [LABELS.jobName]: NAME, [LABELS.jobRole]: 'worker' },
        [LABELS.replicaIndex]: '1',
      },
    },
    running: { ...conditions('MPIJob'), replicaStatuses: { Launcher: { active: 1 }, Worker: { active: 2 } } },
    succeeded: conditions('MPIJob', 'Succeeded'),
    replicas: ['launcher', 'worker-0', 'worker-1'],
    scaling: { code: 0, message: 'Worker scaled from 2 to 3' },
  },
  {
    title: 'MXJob of training-operator 1.5',
    resource: MX_JOBS,
    schema: kubeflowSchema('mxReplicaSpecs', false),
    spec: { jobMode: 'MXTrain', mxReplicaSpecs: roles('mxnet', { Scheduler: 1, Server: 1, Worker: 1 }) },
    pods: {
      'theirs-scheduler-0': numbered('mxjob-controller', 'scheduler', 0),
      'theirs-server-0': numbered('mxjob-controller', 'server', 0),
      'theirs-worker-0': numbered('mxjob-controller', 'worker', 0),
    },
    running: conditions('MXJob'),
    succeeded: conditions('MXJob', 'Succeeded'),
    replicas: ['scheduler-0', 'server-0', 'worker-0'],
    suspending: {
      code: 1,
      message: 'cannot be suspended: the CRD in this cluster has no field spec.runPolicy.suspend.',
    },
    scaling: { code: 1, message: 'cannot be scaled' },
  },
  {
    title: 'RayCluster of KubeRay',
    resource: RAY_CLUSTERS,
    schema: { spec: anything, status: anything },
    spec: rayClusterSpec,
    pods: {
      'theirs-head-7bq2x': rayNode('head', 'headgroup'),
      'theirs-small-worker-k4d9s': rayNode('worker', 'small'),
    },
    running: {
      ...{ state: 'ready', desiredWorkerReplicas: 1, readyWorkerReplicas: 1, availableWorkerReplicas: 1 },
      conditions: ['HeadPodReady', 'RayClusterProvisioned'].map((type) => ({
        ...{ type, status: 'True', reason: type, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
      })),
    },
    replicas: ['theirs-head-7bq2x', 'theirs-small-worker-k4d9s'],
    scaling: { code: 0, message: 'small scaled from 1 to 3' },
  },
  {
    title: 'RayJob of KubeRay',
    resource: RAY_JOBS,
    schema: { spec: anything, status: anything },
    spec: { entrypoint: 'python train.py', rayClusterSpec },
    pods: {
      'theirs-zz9pq': { 'job-name': NAME, 'batch.kubernetes.io/job-name': NAME },
      'theirs-head-7bq2x': rayNode('head', 'headgroup'),
      'theirs-small-worker-k4d9s': rayNode('worker', 'small'),
    },
    running: {
      ...{ jobId: 'theirs-1', rayClusterName: NAME, jobStatus: 'RUNNING', jobDeploymentStatus: 'Running' },
    },
    succeeded: {
      ...{ jobId: 'theirs-1', rayClusterName: NAME, jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete' },
      endTime: '2026-01-01T01:00:00Z',
    },
    replicas: ['submitter-0'],
    scaling: { code: 1, message: 'scale raycluster/theirs' },
  },
];

let cluster: Cluster;
let client: ClusterClient;

beforeAll(async () => {
  cluster = await clusterUp({ name: CLUSTER, nodes: 1 });
  client = createKubeClient(await loadCluster({ kubeconfig: cluster.kubeconfig }), { userAgent: 'muster-test/0' });
}, LIMIT_MS);

afterAll(async () => {
  await client?.close();
  await clusterDown({ name: CLUSTER });
}, LIMIT_MS);

function run(...args: readonly string[]): Promise<Ended> {
  return muster([...args, '-n', NAMESPACE, '--kubeconfig', cluster.kubeconfig]).ended;
}

/** The garbage collector may have deleted it. */
async function gone(deleting: Promise<unknown>): Promise<void> {
  await deleting.catch((error: unknown) => {
    if (!isKubeError(error, 'NotFound')) throw error;
  });
}

async function isGone({ metadata }: CustomResourceDefinition): Promise<boolean> {
  try {
    await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: metadata?.name ?? '' });
    return false;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return true;
    throw error;
  }
}

it('list reports that the cluster serves no kind of job', async () => {
  const { code, err } = await run('list');
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining('This cluster serves no kind of job that Muster supports') as string,
  });
});

describe.each(OPERATORS)('$title', { timeout: LIMIT_MS }, (kind) => {
  const { resource, schema, spec, pods, running, succeeded, replicas } = kind;
  const reference = `${resource.kind.toLowerCase()}/${NAME}`;
  const key = { namespace: NAMESPACE, name: NAME };
  const definition = upstreamCrd(resource, schema);

  beforeAll(async () => {
    await installCrd(client, definition);
    const typed = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    const job = await client.create(resource, { ...typed, metadata: key, spec });
    const owner = { ...typed, name: NAME, uid: job.metadata?.uid ?? '', controller: true };
    for (const [name, labels] of Object.entries(pods)) {
      // Pods of a RayCluster belong to the cluster, not to the job.
      const ownerReferences = resource.kind === RAY_JOBS.kind ? [] : [owner];
      const metadata = { name, namespace: NAMESPACE, labels: { ...labels }, ownerReferences };
      await client.create(PODS, { metadata, spec: { containers: [{ name: 'train', image: 'registry.example/a:1' }] } });
    }
    await eventually(async () => (await podsOf()).every(({ status }) => status?.phase === 'Running'), {
      withinMs: 60_000,
      describe: 'its pods run',
    });
    await client.patchStatus(resource, key, { status: running });
  }, LIMIT_MS);

  afterAll(async () => {
    await client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: definition.metadata?.name ?? '' });
    for (const { metadata } of await podsOf()) await gone(client.delete(PODS, { ...key, name: metadata?.name ?? '' }));
    await eventually(async () => (await podsOf()).length === 0 && (await isGone(definition)), {
      withinMs: 60_000,
      describe: 'its pods and its definition are gone',
    });
  }, LIMIT_MS);

  async function podsOf() {
    const { items } = await client.list(PODS, { namespace: NAMESPACE });
    return items.filter(({ metadata }) => (metadata?.name ?? '') in pods);
  }

  it('is listed, shown and explained', async () => {
    const [list, get, why] = await Promise.all([run('list'), run('get', reference), run('why', reference)]);
    expect(list.out).toMatch(new RegExp(`^${NAME} +${resource.kind} +Running `, 'm'));
    for (const replica of replicas) expect(get.out).toMatch(new RegExp(`^ {2}${replica} .* Running `, 'm'));
    expect(get).toMatchObject({ code: 0, err: '' });
    expect(why).toMatchObject({ code: 0, out: expect.stringMatching(/(has no known problem:|is) Running/) as string });
  });

  it('is scaled, suspended and resumed, or the error has the reason', async () => {
    const scaled = await run('scale', reference, '3');
    expect({ ...scaled, output: scaled.out + scaled.err }).toMatchObject({
      code: kind.scaling.code,
      output: expect.stringContaining(kind.scaling.message) as string,
    });
    const { code, message } = kind.suspending ?? { code: 0, message: 'suspended' };
    const suspended = await run('suspend', reference);
    expect({ ...suspended, output: suspended.out + suspended.err }).toMatchObject({
      code,
      output: expect.stringContaining(message) as string,
    });
    if (code === 0) expect(await run('resume', reference)).toMatchObject({ code: 0 });
  });

  it('can be awaited', async () => {
    const target = succeeded === undefined ? 'running' : 'succeeded';
    const waiting = muster(['wait', reference, '--for', target, '-n', NAMESPACE, '--kubeconfig', cluster.kubeconfig]);
    await waiting.printed('Running');
    if (succeeded !== undefined) await client.patchStatus(resource, key, { status: succeeded });
    expect(await waiting.ended).toMatchObject({ code: 0 });
    if (succeeded !== undefined)
      expect(await run('why', reference)).toMatchObject({ out: expect.stringContaining('has succeeded') as string });
  });
});

describe('a job in a queue of Kueue', { timeout: LIMIT_MS }, () => {
  const workloads: Resource<KubeObject & { status?: object }> = {
    ...{ group: 'kueue.x-k8s.io', version: 'v1beta1', kind: 'Workload', plural: 'workloads', namespaced: true },
  };
  const key = { namespace: NAMESPACE, name: 'queued' };
  const queue = { 'kueue.x-k8s.io/queue-name': 'team-a' };
  let uid = '';

  beforeAll(async () => {
    await installCrd(client, upstreamCrd(PYTORCH_JOBS, kubeflowSchema('pytorchReplicaSpecs')));
    const job = await client.create(PYTORCH_JOBS, {
      ...{ apiVersion: apiVersionOf(PYTORCH_JOBS), kind: PYTORCH_JOBS.kind },
      metadata: { ...key, labels: queue },
      spec: { runPolicy: { suspend: true }, pytorchReplicaSpecs: roles('pytorch', { Worker: 2 }) },
    });
    uid = job.metadata?.uid ?? '';
    const suspended = { type: 'Suspended', status: 'True', reason: 'PyTorchJobSuspended', message: 'is suspended' };
    await client.patchStatus(PYTORCH_JOBS, key, { status: { conditions: [suspended] } });
  }, LIMIT_MS);

  async function why(): Promise<string> {
    const { code, out, err } = await run('why', 'pytorchjob/queued');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return out;
  }

  it('stays suspended without Kueue', async () => {
    expect(await why()).toContain(
      'Kueue is not installed in this cluster: the job stays suspended until you resume it.',
    );
  });

  it('is explained by the conditions of its Workload', async () => {
    await installCrd(client, upstreamCrd(workloads, { status: anything }));
    expect(await why()).toContain('Kueue has not created a Workload for the job');
    const name = 'pytorchjob-queued-1a2b3';
    const typed = { apiVersion: apiVersionOf(PYTORCH_JOBS), kind: PYTORCH_JOBS.kind };
    const ownerReferences = [{ ...typed, name: key.name, uid, controller: true }];
    await client.create(workloads, { metadata: { namespace: NAMESPACE, name, ownerReferences } });
    expect(await why()).toContain(`Workload ${name}: Kueue has not set a condition yet.`);
    const condition = (type: string, status: string, reason: string, message: string) => ({
      ...{ type, status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' },
    });
    const lacks = "couldn't assign flavors to pod set worker: insufficient unused quota for cpu in flavor default";
    await client.patchStatus(
      workloads,
      { namespace: NAMESPACE, name },
      {
        status: {
          conditions: [
            condition('QuotaReserved', 'False', 'Pending', lacks),
            condition('Admitted', 'False', 'NoReservation', 'The workload has no reservation'),
            condition('Evicted', 'True', 'Preempted', 'Preempted to accommodate a workload of higher priority'),
          ],
        },
      },
    );
    const output = await why();
    expect(output).toContain('The job is in the LocalQueue team-a.');
    expect(output).toContain(`Workload ${name}: not QuotaReserved (Pending): ${lacks}`);
    expect(output).toContain('Evicted (Preempted): Preempted to accommodate a workload of higher priority');
    expect(output).not.toContain('has no reservation');
  });
});
