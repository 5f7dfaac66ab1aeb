/**
 * A kind of job that no framework has, run by the engine as it is (`test-support/crew-job.ts`): a status in a form of its own, an
 * object that its spec refers to, a fact asked over HTTP, replicas of two pods that are recreated all at once, a finalizer. What the engine cannot do for it, it could not do for
 * the next real kind either.
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
  CREW_JOBS,
  CREW_RUNTIMES,
  crewAdapter,
  FINALIZER,
  type CrewJob,
} from '../../test-support/crew-job.ts';
import { PLAIN_JOBS, plainAdapter } from '../../test-support/plain-adapter.ts';
import { plainJobCrd } from '../../test-support/plain-crd.ts';
import { createJobOperator } from '../operator/job-operator.ts';

const cluster = await testCluster();
const { client } = cluster;
const IMAGE = 'registry.example/crew:1';
const CONTAINER = { name: 'main', ready: true, restartCount: 0, image: IMAGE, imageID: '' };
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** What the program of a job answers; `hang`: it takes the question and says nothing. */
let says: { readonly status: number; readonly body: string } | 'hang' = { status: 200, body: '{"percent": 10}' };
/** How often it was told to begin. */
let begun = 0;
let program: Server;
let namespace: string;

beforeAll(async () => {
  await installCrd(client, plainJobCrd(CREW_JOBS));
  await installCrd(client, plainJobCrd(CREW_RUNTIMES));
  await installCrd(client, plainJobCrd(PLAIN_JOBS));
  program = createServer((request, response) => {
    if (request.method === 'POST') begun += 1;
    if (says !== 'hang') response.writeHead(says.status).end(says.body);
  });
  await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  program.closeAllConnections();
  program.close();
});

beforeEach(async () => {
  says = { status: 200, body: '{"percent": 10}' };
  begun = 0;
  namespace = await cluster.namespace();
  const registry = new Registry();
  const start = { client, namespaces: [namespace], serviceMode: 'PerJob', logger: silent } as const;
  const options = loneOperatorOptions({ ...start, clock: new TravelClock() });
  const operator = await started(
    createJobOperator({ ...options, adapters: [crewAdapter(500), plainAdapter({})], registry }),
    registry,
  );
  onTestFinished(() => operator.stop());
});

const createRuntime = () => client.create(CREW_RUNTIMES, { metadata: { name: 'night', namespace }, image: IMAGE });

async function submit(spec: { paused?: boolean } = {}) {
  const { port } = program.address() as AddressInfo;
  const progressUrl = `http://127.0.0.1:${port}/progress`;
  const metadata = { name: 'crew', namespace };
  return client.create(CREW_JOBS, { metadata, spec: { runtime: 'night', crews: 1, progressUrl, ...spec } });
}

const job = () => client.get(CREW_JOBS, { namespace, name: 'crew' });
const pods = async () => (await client.list(PODS, { namespace })).items;

/** Waits until what `look` gives contains `expected`. */
async function becomes<T>(look: () => Promise<T>, expected: object): Promise<void> {
  const isSo = async () => {
    expect(await look()).toMatchObject(expected);
    return true;
  };
  await eventually(isSo, { withinMs: 60_000, describe: async () => ({ expected, seen: await look() }) });
}

const shown = async (): Promise<NonNullable<CrewJob['status']>> => (await job()).status ?? { phase: '' };

async function report(phase: NonNullable<Pod['status']>['phase']) {
  for (const { metadata } of await pods()) {
    const status = { phase, containerStatuses: [{ ...CONTAINER, state: { running: {} } }] };
    await client.patchStatus(PODS, { namespace, name: metadata?.name ?? '' }, { status });
  }
}

it('waits for what its spec refers to, and starts with what that says', async () => {
  await submit();
  const problem = `spec.runtime: there is no CrewRuntime ${namespace}/night: create it, or name another one. The job starts when it is there`;
  await becomes(shown, { phase: 'Waiting', problem });
  expect(await pods()).toEqual([]);
  await createRuntime();
  await becomes(
    async () => (await pods()).map(({ metadata, spec }) => [metadata?.name, spec?.containers[0]?.image]).toSorted(),
    [
      ['crew-member-0', IMAGE],
      ['crew-member-1', IMAGE],
    ],
  );
  await becomes(shown, { phase: 'Waiting', percent: 10 });
  expect((await shown()).problem).toBeUndefined();
});

it('shows in its own form what it does and what is asked, and ends by an answer', async () => {
  await createRuntime();
  await submit();
  await becomes(pods, [{}, {}]);
  await report('Running');
  await becomes(shown, { phase: 'Working', percent: 10, record: { state: 'Running' } });
  says = { status: 503, body: '' };
  await becomes(shown, { phase: 'Working', problem: 'Service Unavailable' });
  says = 'hang';
  await becomes(shown, { phase: 'Working', problem: expect.stringContaining('did not answer in 2 s') as string });
  says = { status: 200, body: '{"percent": 100}' };
  await becomes(shown, { phase: 'Done', percent: 100 });
  expect(begun).toBe(1);
});

it('recreates all of its pods when one has failed', async () => {
  await createRuntime();
  await submit();
  await becomes(pods, [{}, {}]);
  await report('Running');
  await becomes(shown, { phase: 'Working' });
  const containerStatuses = [{ ...CONTAINER, state: { terminated: { exitCode: 1, reason: 'Error' } } }];
  const status = { phase: 'Failed', containerStatuses };
  await client.patchStatus(PODS, { namespace, name: 'crew-member-1' }, { status });
  const attempt = { metadata: { labels: { [LABELS.attempt]: '1' } } };
  await becomes(pods, [attempt, attempt]);
  await becomes(shown, { record: { attempt: 1, restartCount: 1 } });
});

it('shares an operator with another kind, whose jobs may have the same names', async () => {
  await createRuntime();
  await submit();
  await client.create(PLAIN_JOBS, { metadata: { name: 'crew', namespace }, spec: {} });
  const namesOf = async () => (await pods()).map(({ metadata }) => metadata?.name).toSorted();
  await becomes(namesOf, ['crew-member-0', 'crew-member-1', 'crew-worker-0']);
  await client.delete(PLAIN_JOBS, { namespace, name: 'crew' });
  await becomes(namesOf, ['crew-member-0', 'crew-member-1']);
  await report('Running');
  await becomes(shown, { phase: 'Working', record: { replicaStatuses: { Member: { active: 2 } } } });
});

it('is paused by its own field', async () => {
  await createRuntime();
  await submit();
  await becomes(pods, [{}, {}]);
  await client.patch(CREW_JOBS, { namespace, name: 'crew' }, { spec: { paused: true } });
  await becomes(shown, { phase: 'Suspended' });
  await becomes(pods, []);
});

it('is not gone before what it leaves behind is read', async () => {
  await createRuntime();
  await submit();
  await becomes(pods, [{}, {}]);
  expect((await job()).metadata?.finalizers).toEqual([FINALIZER]);
  await client.delete(CREW_JOBS, { namespace, name: 'crew' });
  const word = { namespace, name: 'crew' };
  await becomes(() => client.get(CONFIG_MAPS, word), { metadata: { ownerReferences: [{ kind: 'CrewJob' }] } });
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
