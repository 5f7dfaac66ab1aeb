/**
 * Volcano Jobs of all frameworks with all five operators on one real API server: only the operator of its framework runs each Job, and
 * the API server accepts all of its objects.
 */
import { readFileSync } from 'node:fs';
import { mpiAdapter, mpiPlugin } from '@muster/adapter-mpi';
import { mxAdapter, mxnetPlugin } from '@muster/adapter-mxnet';
import { pytorchAdapter, pytorchPlugin } from '@muster/adapter-pytorch';
import { rayAdapters, rayPlugin } from '@muster/adapter-ray';
import { tensorflowPlugin, tfAdapter } from '@muster/adapter-tensorflow';
import { createJobOperator, type FrameworkAdapter } from '@muster/common-job-controller';
import {
  crdFor,
  EVENTS,
  FRAMEWORKS,
  PODS,
  VOLCANO_COMMAND_CRD,
  VOLCANO_JOBS,
  volcanoJobDefinition,
  type VolcanoJob,
} from '@muster/job-api';
import {
  eventually,
  installCrd,
  loneOperatorOptions,
  manifestsIn,
  started,
  testCluster,
  TravelClock,
} from '@muster/testing';
import { volcanoJobAdapter, type FrameworkPlugin } from '@muster/volcano-job';
import { Registry } from 'prom-client';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';

const OPERATORS: readonly (readonly [own: FrameworkAdapter, plugin: FrameworkPlugin])[] = [
  [tfAdapter(), tensorflowPlugin],
  [pytorchAdapter(), pytorchPlugin],
  [mpiAdapter(), mpiPlugin],
  [mxAdapter(), mxnetPlugin],
  [rayAdapters()[0], rayPlugin],
];

const cluster = await testCluster();
const { client } = cluster;
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

function golden(framework: string): URL {
  return new URL(`../../../libs/adapters/${framework}/golden/volcano/`, import.meta.url);
}

/** The expected pods of a framework's Jobs, and the label value by which its operator finds them. */
function expectedPods(framework: string): [name: string, operator: string][] {
  return [...manifestsIn(golden(framework)).keys()].flatMap((job) => {
    const text = readFileSync(new URL(`${job}.PerJob.objects.yaml`, golden(framework)), 'utf8');
    const objects = parseAllDocuments(text).map(
      (document) => document.toJS() as { kind: string; metadata: { name: string } },
    );
    return objects
      .filter(({ kind }) => kind === 'Pod')
      .map(({ metadata }): [string, string] => [metadata.name, `volcano-${framework}`]);
  });
}

let namespace: string;

beforeEach(async () => {
  const definitions = Object.values(FRAMEWORKS).flat();
  for (const definition of [...definitions, volcanoJobDefinition]) await installCrd(client, crdFor(definition));
  await installCrd(client, VOLCANO_COMMAND_CRD);
  namespace = await cluster.namespace();
  for (const [own, plugin] of OPERATORS) {
    const registry = new Registry();
    const start = { client, namespaces: [namespace], serviceMode: 'PerJob', logger: silent } as const;
    const options = loneOperatorOptions({ ...start, clock: new TravelClock() });
    const adapters = [own, volcanoJobAdapter(plugin) as unknown as FrameworkAdapter] as const;
    const operator = await started(createJobOperator({ ...options, adapters: [...adapters], registry }), registry);
    onTestFinished(() => operator.stop());
  }
});

it('Jobs of each framework get their pods, from the operator of that framework', async () => {
  for (const [, { name }] of OPERATORS) {
    for (const [, manifest] of manifestsIn(golden(name))) {
      const { spec, metadata } = manifest as VolcanoJob;
      // The cluster has no such PriorityClass.
      const { priorityClassName: _priority, ...rest } = spec;
      await client.create(VOLCANO_JOBS, { metadata: { ...metadata, namespace }, spec: rest });
    }
  }
  const expected = OPERATORS.flatMap(([, { name }]) => expectedPods(name)).toSorted();
  const found = async () =>
    (await client.list(PODS, { namespace })).items
      .map(({ metadata }) => [metadata?.name, metadata?.labels?.['training.kubeflow.org/operator-name']])
      .toSorted();
  const areAllThere = async () => {
    expect(await found()).toEqual(expected);
    return true;
  };
  const states = async () =>
    (await client.list(VOLCANO_JOBS, { namespace })).items.map(({ metadata, status }) => [
      metadata?.name,
      status?.['state'],
    ]);
  await eventually(areAllThere, {
    withinMs: 90_000,
    describe: async () => ({ expected, found: await found(), jobs: await states() }),
  });
});

it("Muster does not run a Job that Volcano's controller runs, and emits one event", async () => {
  const key = { namespace, name: 'begun' };
  const template = { spec: { containers: [{ name: 'main', image: 'registry.example/train:1' }] } };
  const tasks = [{ name: 'worker', replicas: 1, template }];
  await client.create(VOLCANO_JOBS, { metadata: key, spec: { plugins: { pytorch: [] }, tasks } });
  // That controller writes the status first.
  await client.patchStatus(VOLCANO_JOBS, key, { status: { state: { phase: 'Pending' }, minAvailable: 1 } });
  const events = async () =>
    (await client.list(EVENTS, { namespace })).items.filter(({ regarding }) => regarding?.name === 'begun');
  const isReported = async () => {
    expect(await events()).toMatchObject([
      {
        reason: 'ManagedByOther',
        note: expect.stringContaining("Volcano's job controller has started this job") as string,
      },
    ]);
    return true;
  };
  await eventually(isReported, { withinMs: 60_000, describe: events });
  // The operator has processed the Job when a later Job has pods.
  await client.create(VOLCANO_JOBS, {
    metadata: { namespace, name: 'later' },
    spec: { plugins: { pytorch: [] }, tasks },
  });
  const pods = async () => (await client.list(PODS, { namespace })).items.map(({ metadata }) => metadata?.name);
  await eventually(async () => (await pods()).length > 0, { withinMs: 60_000, describe: pods });
  expect(await pods()).toEqual(['later-worker-0']);
  expect((await client.get(VOLCANO_JOBS, key)).status).toEqual({ state: { phase: 'Pending' }, minAvailable: 1 });
});
