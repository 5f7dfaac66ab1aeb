/** Workloads created by Muster, on an API server with the CRDs of the oldest supported Kueue. Kueue does not run, so no Workload is admitted. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rayAdapters } from '@muster/adapter-ray';
import { BINARIES, moduleFolder } from '@muster/cluster';
import { createJobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  EVENTS,
  RAY_CLUSTERS,
  rayClusterDefinition,
  rayJobDefinition,
  type CustomResourceDefinition,
  type Event,
  type JobCondition,
  type KubeObject,
  type Resource,
} from '@muster/job-api';
import { createKubeClient } from '@muster/kube';
import {
  eventually,
  faultProxy,
  installCrd,
  loneOperatorOptions,
  started,
  testCluster,
  TravelClock,
  type FaultProxy,
} from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';

const WORKLOADS: Resource<KubeObject & { spec?: { podSets?: { name: string }[] } }> = {
  ...{ group: 'kueue.x-k8s.io', version: 'v1beta2', kind: 'Workload', plural: 'workloads', namespaced: true },
};
const CRDS = ['workloads', 'resourceflavors', 'workloadpriorityclasses'];

const cluster = await testCluster();
const namespace = await cluster.namespace();
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const clock = new TravelClock();

let proxy: FaultProxy;
let operator: Awaited<ReturnType<typeof started>> | undefined;

beforeAll(async () => {
  await installCrd(cluster.client, crdFor(rayClusterDefinition));
  await installCrd(cluster.client, crdFor(rayJobDefinition));
  const folder = join(await moduleFolder(BINARIES.kueue), 'config/components/crd/bases');
  for (const name of CRDS) {
    const crd = parse(await readFile(join(folder, `kueue.x-k8s.io_${name}.yaml`), 'utf8')) as CustomResourceDefinition;
    await installCrd(cluster.client, crd);
  }
  proxy = await faultProxy(cluster.access);
  const client = createKubeClient(proxy.access, { userAgent: 'muster-test/0' });
  const where = { client, namespaces: [namespace], resource: RAY_CLUSTERS } as const;
  const options = loneOperatorOptions({ ...where, serviceMode: 'PerJob', logger: silent, clock });
  const registry = new Registry();
  const settings = { ...options.settings, kueue: true };
  operator = await started(createJobOperator({ ...options, settings, adapters: rayAdapters(), registry }), registry);
}, 180_000);

afterAll(async () => {
  await operator?.stop();
  await proxy?.close();
});

const template = (name: string) => ({ spec: { containers: [{ name, image: 'registry.example/ray:2.60.0' }] } });

async function create(name: string, groups: number): Promise<void> {
  await cluster.client.create(RAY_CLUSTERS, {
    ...{ apiVersion: 'ray.io/v1', kind: 'RayCluster' },
    metadata: { name, namespace, labels: { 'kueue.x-k8s.io/queue-name': 'team' } },
    spec: specOf(groups),
  });
}

function specOf(groups: number) {
  const workerGroupSpecs = Array.from({ length: groups }, (_each, at) => ({
    ...{ groupName: `group-${at}`, replicas: 1, template: template('ray-worker') },
  }));
  return { rayVersion: '2.60.0', headGroupSpec: { template: template('ray-head') }, workerGroupSpecs };
}

/** The conditions in the job's status, by type. */
async function conditionsOf(name: string): Promise<Record<string, JobCondition>> {
  const { status } = await cluster.client.get(RAY_CLUSTERS, { namespace, name });
  const { conditions = [] } = (status as { muster?: { conditions?: JobCondition[] } } | undefined)?.muster ?? {};
  return Object.fromEntries(conditions.map((condition) => [condition.type, condition]));
}

async function notesOf(name: string, reason: string): Promise<(string | undefined)[]> {
  const { items } = await cluster.client.list<Event>(EVENTS, { namespace });
  return items.filter((event) => event.regarding?.name === name && event.reason === reason).map(({ note }) => note);
}

const workloadsMade = () =>
  proxy.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/workloads')).length;

const TOO_MANY = /merge groups.*spec\.podSets: Too many: 12: must have at most 8 items/;

it('refuses a job with more pod sets than a Workload may have: condition and event name the limit and the field once', async () => {
  const before = workloadsMade();
  await create('flock', 11);
  await eventually(async () => (await conditionsOf('flock'))['Failed'], { describe: () => conditionsOf('flock') });
  const { Failed } = await conditionsOf('flock');
  expect(Failed).toMatchObject({
    status: 'True',
    reason: 'InvalidSpec',
    message: expect.stringMatching(TOO_MANY) as string,
  });
  await eventually(async () => (await notesOf('flock', 'InvalidSpec')).length > 0);
  expect(await notesOf('flock', 'InvalidSpec')).toEqual([expect.stringMatching(TOO_MANY)]);
  // Half an hour in steps, so that timers set by other timers fire, too.
  for (let minute = 0; minute < 30; minute++) {
    clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  // Another job is queued after all work for this one.
  await create('duck', 1);
  await eventually(() => workloadsMade() > before + 1);
  expect(workloadsMade()).toBe(before + 2);
});

it('queues a job that was refused once its groups are merged', async () => {
  await create('herd', 11);
  await eventually(async () => (await conditionsOf('herd'))['Failed'], { describe: () => conditionsOf('herd') });
  await cluster.client.patch(RAY_CLUSTERS, { namespace, name: 'herd' }, { spec: specOf(7) });
  const podSets = async () => {
    const { items } = await cluster.client.list(WORKLOADS, { namespace });
    return items.find(({ metadata }) => metadata?.name?.startsWith('raycluster-herd-'))?.spec?.podSets?.length;
  };
  await eventually(async () => (await podSets()) === 8, { describe: podSets });
  await eventually(async () => (await conditionsOf('herd'))['Suspended']?.status === 'True', {
    describe: () => conditionsOf('herd'),
  });
  expect((await conditionsOf('herd'))['Suspended']?.reason).toBe('Queued');
});
