/**
 * MXJobs that lose a replica during training, on a real API server. ps-lite does not let a replica rejoin, so a job
 * whose training may have started fails instead of hanging. The spec reports the pods' status, as a kubelet would.
 */
import { createJobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  EVENTS,
  MX_JOBS,
  mxJobDefinition,
  PODS,
  type EnvVar,
  type MXJob,
  type Pod,
  type RestartPolicy,
} from '@muster/job-api';
import { eventually, installCrd, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mxAdapter } from './mx-adapter.ts';

const WITHIN_MS = 60_000;
const cluster = await testCluster();
const { client } = cluster;
const namespace = await cluster.namespace();
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const template = {
  spec: { schedulerName: 'absent', containers: [{ name: 'mxnet', image: 'registry.example/train:1' }] },
};

async function startOperator() {
  const start = { client, namespaces: [namespace], resource: MX_JOBS, serviceMode: 'PerJob', logger: silent } as const;
  const registry = new Registry();
  const clock = new TravelClock();
  const options = loneOperatorOptions({ ...start, clock });
  return started(createJobOperator({ ...options, adapters: [mxAdapter()], registry }), registry);
}

let operator: Awaited<ReturnType<typeof startOperator>>;

beforeAll(async () => {
  await installCrd(client, crdFor(mxJobDefinition));
  operator = await startOperator();
});

afterAll(() => operator.stop());

async function restartOperator(meanwhile: () => Promise<unknown>): Promise<void> {
  await operator.stop();
  await meanwhile();
  operator = await startOperator();
}

async function create(name: string, restartPolicy?: RestartPolicy, env: EnvVar[] = []): Promise<void> {
  const replica = {
    template: { spec: { ...template.spec, containers: template.spec.containers.map((each) => ({ ...each, env })) } },
    ...(restartPolicy && { restartPolicy }),
  };
  const job: MXJob = {
    apiVersion: 'kubeflow.org/v1',
    kind: 'MXJob',
    metadata: { name, namespace },
    spec: {
      jobMode: 'MXTrain',
      runPolicy: { suspend: false },
      mxReplicaSpecs: { Scheduler: replica, Server: replica, Worker: { replicas: 2, ...replica } },
    },
  };
  await client.create(MX_JOBS, job);
}

async function getPod(name: string): Promise<Pod> {
  return eventually(async () => (await pods()).find(({ metadata }) => metadata?.name === name), {
    withinMs: WITHIN_MS,
    describe: async () => ({ wanted: name, seen: (await pods()).map(({ metadata }) => metadata?.name) }),
  });
}

async function pods(): Promise<Pod[]> {
  return (await client.list(PODS, { namespace })).items;
}

async function report(name: string, status: NonNullable<Pod['status']>): Promise<Pod> {
  const pod = await getPod(name);
  await client.patchStatus(PODS, { namespace, name }, { status });
  return pod;
}

const RUNS = {
  phase: 'Running',
  containerStatuses: [
    { name: 'mxnet', image: 'x', imageID: 'x', ready: true, restartCount: 0, state: { running: {} } },
  ],
} as const satisfies Pod['status'];

async function run(job: string): Promise<void> {
  await report(`${job}-scheduler-0`, RUNS);
  for (const replica of ['server-0', 'worker-0', 'worker-1']) await report(`${job}-${replica}`, RUNS);
  await statusOf(job, 'all replicas started', ({ replicaStatuses = {} }) =>
    Object.values(replicaStatuses).every(({ startedIndexes }) => startedIndexes !== undefined),
  );
}

async function statusOf(job: string, what: string, holds: (status: NonNullable<MXJob['status']>) => boolean) {
  let seen: MXJob['status'];
  return eventually(
    async () => {
      seen = (await client.get(MX_JOBS, { namespace, name: job })).status;
      return seen !== undefined && holds(seen) && seen;
    },
    { withinMs: WITHIN_MS, describe: () => ({ expected: `${what} of ${job}`, seen }) },
  );
}

/** Waits for the failure with a hint in its message. */
async function toFail(job: string, because: RegExp): Promise<void> {
  const { conditions, completionTime } = await statusOf(job, 'the end', ({ state }) => state === 'Failed');
  expect(completionTime).toBeDefined();
  const { message = '' } = conditions?.find(({ type }) => type === 'Failed') ?? {};
  expect(message).toMatch(because);
  expect(message).toMatch(/ps-lite.*checkpoint.*submit/s);
}

const EVICTED = {
  phase: 'Failed',
  reason: 'Evicted',
  message: 'The node was low on resource: memory.',
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }],
} satisfies Pod['status'];

it.each(['Never', 'OnFailure', 'Always', 'ExitCode'] as const)(
  'fails when a worker that has run is evicted, under %s',
  async (policy) => {
    const name = `evicted-${policy.toLowerCase()}`;
    await create(name, policy);
    await run(name);
    await report(`${name}-worker-1`, EVICTED);
    await toFail(name, new RegExp(`pod ${name}-worker-1 was ended by the cluster: Evicted`));
  },
);

it('warns when a kubelet restarts a worker in place', async () => {
  await create('in-place', 'OnFailure');
  await run('in-place');
  const [status] = RUNS.containerStatuses;
  await report('in-place-worker-1', { ...RUNS, containerStatuses: [{ ...status, restartCount: 1 }] });
  const event = await eventually(
    async () =>
      (await client.list(EVENTS, { namespace })).items.find(
        ({ reason, regarding }) => reason === 'RestartedWithoutRejoining' && regarding?.name === 'in-place',
      ),
    { withinMs: WITHIN_MS, describe: 'the warning' },
  );
  expect(event.note).toMatch(/pod in-place-worker-1\. .*ps-lite/s);
});

it('recreates an evicted worker if the scheduler has heartbeats, by which another one takes its place', async () => {
  await create('heard', 'OnFailure', [{ name: 'PS_HEARTBEAT_TIMEOUT', value: '60' }]);
  for (const pod of ['scheduler-0', 'server-0', 'worker-0', 'worker-1']) await report(`heard-${pod}`, RUNS);
  const { metadata } = await report('heard-worker-1', EVICTED);
  await eventually(async () => (await getPod('heard-worker-1')).metadata?.uid !== metadata?.uid, {
    withinMs: WITHIN_MS,
    describe: () => client.get(MX_JOBS, { namespace, name: 'heard' }),
  });
});

it('fails when a server that has run is deleted while no operator runs', async () => {
  await create('deleted');
  await run('deleted');
  await restartOperator(() => client.delete(PODS, { namespace, name: 'deleted-server-0' }, { gracePeriodSeconds: 0 }));
  await toFail('deleted', /pod deleted-server-0 was deleted/);
});

it('recreates a replica that has never run, and trains when it does', async () => {
  await create('refused');
  await report('refused-scheduler-0', RUNS);
  const { metadata } = await report('refused-worker-1', {
    phase: 'Failed',
    reason: 'OutOfcpu',
    message: 'Pod was rejected: no room',
  });
  await eventually(async () => (await getPod('refused-worker-1')).metadata?.uid !== metadata?.uid, {
    withinMs: WITHIN_MS,
    describe: () => client.get(MX_JOBS, { namespace, name: 'refused' }),
  });
  const before = await getPod('refused-server-0');
  await client.delete(PODS, { namespace, name: 'refused-server-0' }, { gracePeriodSeconds: 0 });
  await eventually(async () => (await getPod('refused-server-0')).metadata?.uid !== before.metadata?.uid, {
    withinMs: WITHIN_MS,
    describe: () => client.get(MX_JOBS, { namespace, name: 'refused' }),
  });
  await run('refused');
  await statusOf('refused', 'training', ({ state }) => state === 'Running');
});
