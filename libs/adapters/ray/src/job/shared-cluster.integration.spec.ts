/**
 * RayJobs on a selected cluster, on a real API server with Kubernetes' own Job controller: one that ends before Ray's
 * job, and one whose submitter is drained. The test answers for Ray.
 */
import { createJobOperator, type JobOperatorOptions } from '@muster/common-job-controller';
import {
  BATCH_JOBS,
  crdFor,
  EVENTS,
  PODS,
  RAY_CLUSTERS,
  RAY_JOBS,
  rayClusterDefinition,
  rayJobDefinition,
  type Event,
  type Pod,
  type RayJob,
} from '@muster/job-api';
import {
  bindPod,
  endEvictedPod,
  eventually,
  evictPod,
  installCrd,
  loneOperatorOptions,
  started,
  testCluster,
  TravelClock,
} from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rayClusterAdapter } from '../cluster/ray-cluster-adapter.ts';
import { rayJobAdapter } from './ray-job-adapter.ts';

const WITHIN_MS = 60_000;
const DEADLINE_SECONDS = 600;

const cluster = await testCluster();
const { client } = cluster;
const namespace = await cluster.namespace();
const clock = new TravelClock();
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The requests to Ray other than GET, and its stopped jobs. */
const posted: string[] = [];
const stopped = new Set<string>();

const sendProbe: NonNullable<JobOperatorOptions['sendProbe']> = ({ url, method = 'GET' }) => {
  if (typeof url === 'string' || !('service' in url)) throw new Error(`${JSON.stringify(url)} is no Service`);
  if (url.path === '/api/version') return Promise.resolve({ status: 200, body: { session_name: 'session_1' } });
  if (method === 'GET') {
    const status = stopped.has(url.path) ? 'STOPPED' : 'RUNNING';
    return Promise.resolve({ status: 200, body: { status, message: '' } });
  }
  posted.push(`${method} ${url.service}${url.path}`);
  stopped.add(url.path.replace(/\/stop$/, ''));
  return Promise.resolve({ status: 200, body: { stopped: true } });
};

let operator: Awaited<ReturnType<typeof started>> | undefined;

beforeAll(async () => {
  await installCrd(client, crdFor(rayClusterDefinition));
  await installCrd(client, crdFor(rayJobDefinition));
  const where = { client, namespaces: [namespace], resource: RAY_JOBS } as const;
  const options = loneOperatorOptions({ ...where, serviceMode: 'PerJob', logger: silent, clock });
  const registry = new Registry();
  const adapters = [rayClusterAdapter(), rayJobAdapter()] as const;
  operator = await started(createJobOperator({ ...options, adapters: [...adapters], registry, sendProbe }), registry);
});
afterAll(() => operator?.stop());

const podsOf = async (labelSelector: string) => (await client.list(PODS, { namespace, labelSelector })).items;

const jobToBe = (name: string, holds: (job: RayJob) => boolean) => {
  let seen: RayJob | undefined;
  return eventually(async () => holds((seen = await client.get(RAY_JOBS, { namespace, name }))) && seen, {
    withinMs: WITHIN_MS,
    describe: () => seen?.status,
  });
};

/** Like the kubelet. */
async function makeReady({ metadata }: Pod): Promise<void> {
  const state = { running: { startedAt: new Date().toISOString() } };
  const status = {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ name: 'ray-head', state, ready: true, restartCount: 0, image: '', imageID: '' }],
  };
  await client.patchStatus(PODS, { namespace, name: metadata?.name ?? '' }, { status });
}

let head: Pod | undefined;

beforeAll(async () => {
  const template = { spec: { schedulerName: 'absent', containers: [{ name: 'ray-head', image: 'ray:2.60.0' }] } };
  await client.create(RAY_CLUSTERS, {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name: 'pond', namespace },
    spec: { rayVersion: '2.60.0', headGroupSpec: { template }, workerGroupSpecs: [] },
  });
  [head] = await eventually(
    async () => {
      const pods = await podsOf('ray.io/cluster=pond');
      return pods.length === 1 && pods;
    },
    { withinMs: WITHIN_MS },
  );
  await makeReady(head!);
});

const submitterPods = (job: string) => podsOf(`batch.kubernetes.io/job-name=${job}`);

async function submitterPod(job: string): Promise<Pod> {
  const found = async () => (await submitterPods(job))[0] ?? false;
  return eventually(found, { withinMs: WITHIN_MS, describe: () => submitterPods(job) });
}

it("a RayJob at its deadline stops Ray's job, deletes its submitter, and does not change the cluster", async () => {
  await client.create(RAY_JOBS, {
    apiVersion: 'ray.io/v1',
    kind: 'RayJob',
    metadata: { name: 'newt', namespace },
    spec: {
      entrypoint: 'sleep 3600',
      submissionMode: 'K8sJobMode',
      clusterSelector: { 'ray.io/cluster': 'pond' },
      activeDeadlineSeconds: DEADLINE_SECONDS,
      submitterPodTemplate: {
        spec: { schedulerName: 'absent', containers: [{ name: 'submitter', image: 'ray:2.60.0' }] },
      },
    },
  });
  const { status: running } = await jobToBe('newt', ({ status }) => status?.jobStatus === 'RUNNING');
  await submitterPod('newt');
  expect(posted).toEqual([]);

  clock.advance(DEADLINE_SECONDS * 1000);
  const failed = await jobToBe('newt', ({ status }) => status?.jobStatus === 'STOPPED');
  expect(failed.status).toMatchObject({ jobDeploymentStatus: 'Failed', reason: 'DeadlineExceeded' });
  expect(posted).toEqual([`POST pond-head-svc/api/jobs/${running?.jobId}/stop`]);
  // A hanging submitter, which does not end with Ray's job.
  expect(await submitterPods('newt')).toHaveLength(1);

  clock.advance(15_000);
  const left = async () => {
    const { items } = await client.list(BATCH_JOBS, { namespace });
    return [...items, ...(await submitterPods('newt'))].map(({ metadata }) => metadata?.name);
  };
  await eventually(async () => (await left()).length === 0, { withinMs: WITHIN_MS, describe: left });
  const { metadata, status } = await client.get(RAY_CLUSTERS, { namespace, name: 'pond' });
  expect([metadata?.deletionTimestamp, status?.state]).toEqual([undefined, 'ready']);
  expect((await podsOf('ray.io/cluster=pond')).map((pod) => pod.metadata?.uid)).toEqual([head?.metadata?.uid]);
});

it('a RayJob continues, with the event SubmitterLost, when its submitter is drained under OnFailure and no retry is left', async () => {
  const name = 'toad';
  const spec = {
    schedulerName: 'absent',
    restartPolicy: 'OnFailure' as const,
    containers: [{ name: 'submitter', image: 'ray:2.60.0' }],
  };
  await client.create(RAY_JOBS, {
    apiVersion: 'ray.io/v1',
    kind: 'RayJob',
    metadata: { name, namespace },
    spec: {
      entrypoint: 'sleep 3600',
      submissionMode: 'K8sJobMode',
      clusterSelector: { 'ray.io/cluster': 'pond' },
      submitterConfig: { backoffLimit: 0 },
      submitterPodTemplate: { spec },
    },
  });
  const pod = await submitterPod(name);
  const key = { namespace, name: pod.metadata?.name ?? '' };
  await bindPod(client, key);
  await evictPod(client, key);
  await endEvictedPod(client, key);

  let seen: Event[] = [];
  const event = await eventually(
    async () => {
      seen = (await client.list(EVENTS, { namespace })).items;
      return seen.find(({ reason, regarding }) => reason === 'SubmitterLost' && regarding?.name === name) ?? false;
    },
    { withinMs: WITHIN_MS, describe: () => seen.map(({ reason, note }) => [reason, note]) },
  );
  // Kubernetes counts the drain: the API server refuses a podFailurePolicy under OnFailure.
  expect(event.note).toContain('has failed (BackoffLimitExceeded');
  const { status } = await jobToBe(name, (job) => job.status?.jobStatus === 'RUNNING');
  expect(status).toMatchObject({ jobDeploymentStatus: 'Running' });
});
