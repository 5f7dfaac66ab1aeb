/**
 * A kind of job that no framework has (`test-support/custom-job.ts`), run by the unchanged engine. It uses a status format of its own, a
 * reference, a probe over HTTP, replicas of two pods that restart together, and a finalizer.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LABELS, PODS, type Pod } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import { eventually, installCrd, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import {
  CONFIG_MAPS,
  CUSTOM_JOBS,
  CUSTOM_RUNTIMES,
  customAdapter,
  FINALIZER,
  type CustomJob,
} from '../../test-support/custom-job.ts';
import { PLAIN_JOBS, plainAdapter } from '../../test-support/plain-adapter.ts';
import { plainJobCrd } from '../../test-support/plain-crd.ts';
import { createJobOperator } from '../operator/job-operator.ts';

const cluster = await testCluster();
const { client } = cluster;
const IMAGE = 'registry.example/custom:1';
const CONTAINER = { name: 'main', ready: true, restartCount: 0, image: IMAGE, imageID: '' };
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** What the program answers. `hang`: it accepts the request and never answers. */
let answer: { readonly status: number; readonly body: string } | 'hang' = { status: 200, body: '{"percent": 10}' };
/** Number of start requests. */
let startRequests = 0;
let program: Server;
let namespace: string;

beforeAll(async () => {
  await installCrd(client, plainJobCrd(CUSTOM_JOBS));
  await installCrd(client, plainJobCrd(CUSTOM_RUNTIMES));
  await installCrd(client, plainJobCrd(PLAIN_JOBS));
  program = createServer((request, response) => {
    if (request.method === 'POST') startRequests += 1;
    if (answer !== 'hang') response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  program.closeAllConnections();
  program.close();
});

beforeEach(async () => {
  answer = { status: 200, body: '{"percent": 10}' };
  startRequests = 0;
  namespace = await cluster.namespace();
  const registry = new Registry();
  const start = { client, namespaces: [namespace], serviceMode: 'PerJob', logger: silent } as const;
  const options = loneOperatorOptions({ ...start, clock: new TravelClock() });
  const operator = await started(
    createJobOperator({ ...options, adapters: [customAdapter(500), plainAdapter({})], registry }),
    registry,
  );
  onTestFinished(() => operator.stop());
});

const createRuntime = () => client.create(CUSTOM_RUNTIMES, { metadata: { name: 'night', namespace }, image: IMAGE });

async function submit(spec: { paused?: boolean } = {}) {
  const { port } = program.address() as AddressInfo;
  const progressUrl = `http://127.0.0.1:${port}/progress`;
  const metadata = { name: 'custom', namespace };
  return client.create(CUSTOM_JOBS, { metadata, spec: { runtime: 'night', teams: 1, progressUrl, ...spec } });
}

const job = () => client.get(CUSTOM_JOBS, { namespace, name: 'custom' });
const pods = async () => (await client.list(PODS, { namespace })).items;

/** Waits until the result of `look` contains `expected`. */
async function becomes<T>(look: () => Promise<T>, expected: object): Promise<void> {
  const isSo = async () => {
    expect(await look()).toMatchObject(expected);
    return true;
  };
  await eventually(isSo, { withinMs: 60_000, describe: async () => ({ expected, seen: await look() }) });
}

const shown = async (): Promise<NonNullable<CustomJob['status']>> => (await job()).status ?? { phase: '' };

async function report(phase: NonNullable<Pod['status']>['phase']) {
  for (const { metadata } of await pods()) {
    const status = { phase, containerStatuses: [{ ...CONTAINER, state: { running: {} } }] };
    await client.patchStatus(PODS, { namespace, name: metadata?.name ?? '' }, { status });
  }
}

it('waits for the object that its spec refers to, and uses its image', async () => {
  await submit();
  const problem = `spec.runtime: there is no CustomRuntime ${namespace}/night: create it, or use another one. The job starts when it exists`;
  await becomes(shown, { phase: 'Waiting', problem });
  expect(await pods()).toEqual([]);
  await createRuntime();
  await becomes(
    async () => (await pods()).map(({ metadata, spec }) => [metadata?.name, spec?.containers[0]?.image]).toSorted(),
    [
      ['custom-member-0', IMAGE],
      ['custom-member-1', IMAGE],
    ],
  );
  await becomes(shown, { phase: 'Waiting', percent: 10 });
  expect((await shown()).problem).toBeUndefined();
});

it("shows its state and the probe's answers in its own status format, and ends by an answer", async () => {
  await createRuntime();
  await submit();
  await becomes(pods, [{}, {}]);
  await report('Running');
  await becomes(shown, { phase: 'Working', percent: 10, record: { state: 'Running' } });
  answer = { status: 503, body: '' };
  await becomes(shown, { phase: 'Working', problem: 'Service Unavailable' });
  answer = 'hang';
  await becomes(shown, { phase: 'Working', problem: expect.stringContaining('did not respond within 2 s') as string });
  answer = { status: 200, body: '{"percent": 100}' };
  await becomes(shown, { phase: 'Done', percent: 100 });
  expect(startRequests).toBe(1);
});

it('recreates all its pods when one fails', async () => {
  await createRuntime();
  await submit();
  await becomes(pods, [{}, {}]);
  await report('Running');
  await becomes(shown, { phase: 'Working' });
  const containerStatuses = [{ ...CONTAINER, state: { terminated: { exitCode: 1, reason: 'Error' } } }];
  const status = { phase: 'Failed', containerStatuses };
  await client.patchStatus(PODS, { namespace, name: 'custom-member-1' }, { status });
  const attempt = { metadata: { labels: { [LABELS.attempt]: '1' } } };
  await becomes(pods, [attempt, attempt]);
  await becomes(shown, { record: { attempt: 1, restartCount: 1 } });
});

it('runs in one operator with another kind whose job has the same name', async () => {
  await createRuntime();
  await submit();
  await client.create(PLAIN_JOBS, { metadata: { name: 'custom', namespace }, spec: {} });
  const namesOf = async () => (await pods()).map(({ metadata }) => metadata?.name).toSorted();
  await becomes(namesOf, ['custom-member-0', 'custom-member-1', 'custom-worker-0']);
  await client.delete(PLAIN_JOBS, { namespace, name: 'custom' });
  await becomes(namesOf, ['custom-member-0', 'custom-member-1']);
  await report('Running');
  await becomes(shown, { phase: 'Working', record: { replicaStatuses: { Member: { active: 2 } } } });
});

it('is suspended by its own field', async () => {
  await createRuntime();
  await submit();
  await becomes(pods, [{}, {}]);
  await client.patch(CUSTOM_JOBS, { namespace, name: 'custom' }, { spec: { paused: true } });
  await becomes(shown, { phase: 'Suspended' });
  await becomes(pods, []);
});

it('is removed only after its finalizer has created the last ConfigMap', async () => {
  await createRuntime();
  await submit();
  await becomes(pods, [{}, {}]);
  expect((await job()).metadata?.finalizers).toEqual([FINALIZER]);
  await client.delete(CUSTOM_JOBS, { namespace, name: 'custom' });
  const word = { namespace, name: 'custom' };
  await becomes(() => client.get(CONFIG_MAPS, word), { metadata: { ownerReferences: [{ kind: 'CustomJob' }] } });
  await becomes(pods, []);
  expect((await job()).metadata?.deletionTimestamp).toBeDefined();
  await client.patch(CONFIG_MAPS, word, { data: { read: 'yes' } });
  const isGone = () =>
    job().then(
      () => false,
      (error: unknown) => isKubeError(error, 'NotFound'),
    );
  await eventually(isGone, { withinMs: 60_000, describe: job });
});
