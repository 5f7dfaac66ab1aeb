/**
 * Volcano Jobs of all frameworks at once, with the five operators side by side on a real API server: each Job is taken by the operator
 * of its framework alone, and all that it is to have is accepted.
 */
import { readFileSync } from 'node:fs';
import { mpiPlugin } from '@muster/adapter-mpi';
import { mxnetPlugin } from '@muster/adapter-mxnet';
import { pytorchPlugin } from '@muster/adapter-pytorch';
import { rayPlugin } from '@muster/adapter-ray';
import { tensorflowPlugin } from '@muster/adapter-tensorflow';
import { createJobOperator } from '@muster/common-job-controller';
import { crdFor, PODS, VOLCANO_JOBS, volcanoJobDefinition, type VolcanoJob } from '@muster/job-api';
import {
  eventually,
  installCrd,
  loneOperatorOptions,
  manifestsIn,
  started,
  testCluster,
  TravelClock,
} from '@muster/testing';
import { volcanoJobAdapter } from '@muster/volcano-job';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';

const PLUGINS = [tensorflowPlugin, pytorchPlugin, mpiPlugin, mxnetPlugin, rayPlugin];

const cluster = await testCluster();
const { client } = cluster;
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

function golden(framework: string): URL {
  return new URL(`../../../libs/adapters/${framework}/golden/volcano/`, import.meta.url);
}

/** The pods that the Jobs of a framework are to have, and the value of the label by which its operator finds them. */
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

it('Jobs of each framework get their pods, from the operator of that framework', async () => {
  await installCrd(client, crdFor(volcanoJobDefinition));
  const namespace = await cluster.namespace();
  for (const plugin of PLUGINS) {
    const registry = new Registry();
    const start = { client, namespaces: [namespace], serviceMode: 'PerJob', logger: silent } as const;
    const options = loneOperatorOptions({ ...start, clock: new TravelClock() });
    const operator = await started(
      createJobOperator({ ...options, adapters: [volcanoJobAdapter(plugin)], registry }),
      registry,
    );
    onTestFinished(() => operator.stop());
  }
  for (const { name } of PLUGINS) {
    for (const [, manifest] of manifestsIn(golden(name))) {
      const { spec, metadata } = manifest as VolcanoJob;
      // Classes of priority are the cluster's matter.
      const { priorityClassName: _priority, ...rest } = spec;
      await client.create(VOLCANO_JOBS, { metadata: { ...metadata, namespace }, spec: rest });
    }
  }
  const expected = PLUGINS.flatMap(({ name }) => expectedPods(name)).toSorted();
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
