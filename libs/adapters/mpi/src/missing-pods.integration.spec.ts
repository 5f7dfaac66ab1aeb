/** Pods that a Job or a StatefulSet of an MPIJob cannot create, because a quota refuses them. */
import { createJobOperator } from '@muster/common-job-controller';
import { crdFor, MPI_JOBS, mpiJobDefinition, type JobCondition, type KubeObject, type Resource } from '@muster/job-api';
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
const QUOTAS: Resource = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
};
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const cluster = await testCluster();
const { client } = cluster;
const access = await loadCluster({ kubeconfig: cluster.operatorKubeconfig('mpi') });
const operators = createKubeClient(access, { userAgent: 'muster-test/0' });
const clock = new TravelClock();
let namespace: string;
let operator: Awaited<ReturnType<typeof started>>;

beforeAll(async () => {
  await installCrd(client, crdFor(mpiJobDefinition));
  namespace = await cluster.namespace();
  await client.create(QUOTAS, { metadata: { namespace, name: 'few' }, spec: { hard: { pods: '0' } } } as KubeObject);
  const start = { client: operators, namespaces: [namespace], serviceMode: 'PerJob', clock, logger: silent } as const;
  const registry = new Registry();
  const options = { ...loneOperatorOptions(start), adapters: [mpiAdapter()] as const, registry };
  operator = await started(createJobOperator(options), registry);
});

afterAll(async () => {
  await operator.stop();
  await operators.close();
});

// v2beta1's workers are pods of Muster, so a job without room for them has ReplicaFailure instead.
it('are reported in the condition Waiting after a minute', async () => {
  const jobs: Resource = { ...MPI_JOBS, version: 'v1alpha1' };
  const job = parse(await readFile(join(EXAMPLES, 'train-v1alpha1.yaml'), 'utf8')) as KubeObject;
  const { metadata: { name = '' } = {} } = await client.create(jobs, {
    ...job,
    metadata: { ...job.metadata, namespace },
  });
  const waiting = await waitingToBe(name, 'NoReport');
  expect(waiting.message).toBe(
    `StatefulSet ${name}-worker has not created all of its pods: its events say why ` +
      `(kubectl describe statefulset ${name}-worker), unless the controller manager does not run`,
  );
  await client.patch(QUOTAS, { namespace, name: 'few' }, { spec: { hard: { pods: '100' } } });
  await waitingToBe(name, undefined);
});

function waitingToBe(name: string, reason: string | undefined): Promise<JobCondition> {
  let conditions: readonly JobCondition[] = [];
  return eventually(
    async () => {
      clock.advance(5000);
      ({ conditions = [] } = (await client.get(MPI_JOBS, { namespace, name })).status ?? {});
      const waiting = conditions.find(({ type }) => type === 'Waiting');
      if (reason === undefined) return waiting?.reason !== 'NoReport' && conditions[0];
      return waiting?.reason === reason && waiting;
    },
    { withinMs: WITHIN_MS, describe: () => ({ expected: `Waiting ${reason}`, seen: conditions }) },
  );
}
