/** Drained launchers with Kubernetes' own Job controller. Pods do not run; the test reports their status. */
import { createJobOperator } from '@muster/common-job-controller';
import {
  BATCH_JOBS,
  crdFor,
  LABELS,
  MPI_JOBS,
  mpiJobDefinition,
  PODS,
  type KubeObject,
  type Pod,
} from '@muster/job-api';
import { createKubeClient, loadCluster } from '@muster/kube';
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
import { mpiAdapter } from './mpi-adapter.ts';

const WITHIN_MS = 90_000;
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

const template = {
  // No scheduler has this name.
  spec: { schedulerName: 'absent', containers: [{ name: 'mpi', image: 'registry.example/mpi:1' }] },
};

it.each([
  ['Never', 'the same Job'],
  ['OnFailure', 'a new Job'],
] as const)('creates another pod for a launcher of policy %s that is drained, in %s', async (restartPolicy, where) => {
  const name = restartPolicy.toLowerCase();
  const v2beta1 = { ...MPI_JOBS, version: 'v2beta1' };
  await client.create<KubeObject & { spec: object }>(v2beta1, {
    metadata: { name, namespace },
    spec: {
      runPolicy: { backoffLimit: 0 },
      mpiReplicaSpecs: { Launcher: { restartPolicy, template }, Worker: { replicas: 1, template } },
    },
  });
  const first = await launcherBesides(name, []);
  const jobOfFirst = await launcherJob(name);
  const key = { namespace, name: first.metadata?.name ?? '' };

  await bindPod(client, key);
  await evictPod(client, key);
  await endEvictedPod(client, key);

  await launcherBesides(name, [first.metadata?.uid]);
  const jobOfSecond = await launcherJob(name);
  expect(jobOfSecond.metadata?.uid === jobOfFirst.metadata?.uid).toBe(where === 'the same Job');
  const { status } = (await client.get(MPI_JOBS, { namespace, name })) as { status?: { conditions?: Condition[] } };
  expect(status?.conditions?.filter(({ type }) => type === 'Failed')).toEqual([]);
  expect(status).toMatchObject({ restartCount: 0, disruptionCount: 1 });
});

interface Condition {
  readonly type: string;
}

function launcherJob(name: string): Promise<KubeObject> {
  return client.get(BATCH_JOBS, { namespace, name: `${name}-launcher` });
}

function launcherBesides(name: string, uids: readonly (string | undefined)[]): Promise<Pod> {
  const labelSelector = `${LABELS.jobName}=${name},${LABELS.jobRole}=launcher`;
  let seen: Pod[] = [];
  return eventually(
    async () => {
      seen = (await client.list(PODS, { namespace, labelSelector })).items;
      return seen.find(({ metadata }) => !uids.includes(metadata?.uid)) ?? false;
    },
    {
      withinMs: WITHIN_MS,
      describe: async () => ({
        expected: 'another launcher',
        seen,
        job: await client.get(MPI_JOBS, { namespace, name }),
      }),
    },
  );
}
