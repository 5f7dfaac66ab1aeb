/** Job and StatefulSet of a suspended MPIJob whose template changes: neither can be patched, so each is recreated. */
import { createJobOperator } from '@muster/common-job-controller';
import {
  BATCH_JOBS,
  crdFor,
  MPI_JOBS,
  mpiJobDefinition,
  podTemplatesOf,
  type KubeObject,
  type Resource,
} from '@muster/job-api';
import { createKubeClient, loadCluster } from '@muster/kube';
import { eventually, installCrd, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { mpiAdapter } from './mpi-adapter.ts';

const WITHIN_MS = 90_000;
const EXAMPLES = join(import.meta.dirname, '../../../../examples/mpi');
const STATEFUL_SETS: Resource = { ...BATCH_JOBS, group: 'apps', kind: 'StatefulSet', plural: 'statefulsets' };
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const cluster = await testCluster();
const { client } = cluster;
const access = await loadCluster({ kubeconfig: cluster.operatorKubeconfig('mpi') });
const operators = createKubeClient(access, { userAgent: 'muster-test/0' });
let namespace: string;
let operator: Awaited<ReturnType<typeof started>>;

beforeAll(async () => {
  await installCrd(client, crdFor(mpiJobDefinition));
  namespace = await cluster.namespace();
  const clock = new TravelClock();
  const start = { client: operators, namespaces: [namespace], serviceMode: 'PerJob', clock, logger: silent } as const;
  const registry = new Registry();
  const options = { ...loneOperatorOptions(start), adapters: [mpiAdapter()] as const, registry };
  operator = await started(createJobOperator(options), registry);
});

afterAll(async () => {
  await operator.stop();
  await operators.close();
});

it.each([
  ['v2beta1', 'pi-v2beta1.yaml', BATCH_JOBS, 'pi-launcher'],
  ['v1alpha1', 'train-v1alpha1.yaml', STATEFUL_SETS, 'mpi-train-v1alpha1-worker'],
])('of a %s job', async (version, file, resource, name) => {
  const jobs: Resource = { ...MPI_JOBS, version };
  const job = parse(await readFile(join(EXAMPLES, file), 'utf8')) as KubeObject & { spec: { runPolicy?: object } };
  const suspended = { ...job, spec: { ...job.spec, runPolicy: { ...job.spec.runPolicy, suspend: true } } };
  const { metadata } = await client.create(jobs, { ...suspended, metadata: { ...job.metadata, namespace } });
  const before = await objectToBe(resource, name, undefined);
  for (const { spec } of podTemplatesOf(suspended)) for (const each of spec?.containers ?? []) each.image = 'other:1';
  await client.patch(jobs, { namespace, name: metadata?.name ?? '' }, { spec: suspended.spec });
  const after = await objectToBe(resource, name, before.metadata?.uid);
  expect(podTemplatesOf(after).flatMap(({ spec }) => spec?.containers.map(({ image }) => image))).toEqual(['other:1']);
});

function objectToBe(resource: Resource, name: string, uid: string | undefined): Promise<KubeObject> {
  let found: KubeObject | undefined;
  return eventually(
    async () => {
      found = (await client.list(resource, { namespace })).items.find(({ metadata }) => metadata?.name === name);
      return found !== undefined && found.metadata?.uid !== uid && found;
    },
    { withinMs: WITHIN_MS, describe: () => ({ expected: `another ${name}`, seen: found?.metadata }) },
  );
}
