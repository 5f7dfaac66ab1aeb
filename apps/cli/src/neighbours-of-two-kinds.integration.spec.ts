/** Jobs of two kinds with similar names in one namespace, each kind with its own operator. */
import { mpiAdapter } from '@muster/adapter-mpi';
import { pytorchAdapter } from '@muster/adapter-pytorch';
import { tfAdapter } from '@muster/adapter-tensorflow';
import { createJobOperator, type FrameworkAdapter } from '@muster/common-job-controller';
import {
  crdFor,
  LABELS,
  MPI_JOBS,
  mpiJobDefinition,
  PODS,
  PYTORCH_JOBS,
  pytorchJobDefinition,
  SERVICES,
  TF_JOBS,
  tfJobDefinition,
  type KubeObject,
  type PodSpec,
  type Resource,
} from '@muster/job-api';
import { eventually, installCrd, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const cluster = await testCluster();
const { client } = cluster;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let namespace: string;
const operators: Awaited<ReturnType<typeof started>>[] = [];

beforeAll(async () => {
  namespace = await cluster.namespace();
  const crds = [crdFor(tfJobDefinition), crdFor(pytorchJobDefinition), crdFor(mpiJobDefinition)];
  for (const crd of crds) await installCrd(client, crd);
  const adapters: FrameworkAdapter[] = [tfAdapter(), pytorchAdapter(), mpiAdapter()];
  for (const adapter of adapters) {
    const { resource } = adapter;
    const start = { client, namespaces: [namespace], resource, clock: new TravelClock(), logger: silent };
    const registry = new Registry();
    const options = loneOperatorOptions({ ...start, serviceMode: 'PerJob' });
    operators.push(await started(createJobOperator({ ...options, adapters: [adapter], registry }), registry));
  }
});

afterAll(() => Promise.all(operators.map((operator) => operator.stop())));

const replica = (name: string) => ({
  template: { spec: { schedulerName: 'none', containers: [{ name, image: 'registry.example/train:1' }] } },
});

const createTensorFlow = (name: string) =>
  client.create(TF_JOBS, {
    metadata: { name, namespace },
    spec: { runPolicy: { suspend: false }, tfReplicaSpecs: { Worker: replica('tensorflow') } },
  });

const createPyTorch = (name: string) =>
  client.create(PYTORCH_JOBS, {
    metadata: { name, namespace },
    spec: {
      runPolicy: { suspend: false },
      pytorchReplicaSpecs: { Master: replica('pytorch'), Worker: replica('pytorch') },
    },
  });

async function podsToBe(job: string, wanted: readonly string[]): Promise<void> {
  let seen: (string | undefined)[] = [];
  await eventually(
    async () => {
      const pods = await client.list(PODS, { namespace, labelSelector: `${LABELS.jobName}=${job}` });
      seen = pods.items.map(({ metadata }) => metadata?.name).sort();
      expect(seen).toEqual(wanted);
      return true;
    },
    { withinMs: 60_000, describe: () => ({ job, wanted, seen }) },
  );
}

describe('a TFJob with the name of the master of a PyTorchJob', () => {
  it.each(['first', 'second'])('created %s: both have their pods, and the master its Service', async (which) => {
    const [trains, namesake] = [`train-${which}`, `train-${which}-master-0`];
    const tensorFlow = async () => {
      await createTensorFlow(namesake);
      await podsToBe(namesake, [`${namesake}-worker-0`]);
    };
    if (which === 'first') await tensorFlow();
    await createPyTorch(trains);
    await podsToBe(trains, [namesake, `${trains}-worker-0`]);
    if (which === 'second') await tensorFlow();
    const { metadata } = await client.get(SERVICES, { namespace, name: namesake });
    expect(metadata?.labels).toMatchObject({ [LABELS.jobName]: trains });
  });
});

const JOBS: Resource<KubeObject & { spec?: { template: { spec?: PodSpec } } }> = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
};

describe('an MPIJob with the name of a PyTorchJob', () => {
  it.each(['first', 'second'])('created %s: each has its own Service for its pods', async (which) => {
    const name = `near-${which}`;
    const makePyTorch = async () => {
      await client.create(PYTORCH_JOBS, {
        metadata: { name, namespace },
        spec: { runPolicy: { suspend: false }, pytorchReplicaSpecs: { Master: replica('pytorch') } },
      });
      await serviceToBe('PyTorchJob', name, async () => {
        const { spec } = await client.get(PODS, { namespace, name: `${name}-master-0` });
        return spec?.subdomain;
      });
    };
    const makeMPI = async () => {
      await client.create(MPI_JOBS, {
        metadata: { name, namespace },
        spec: {
          apiGeneration: 'v2beta1',
          runPolicy: { suspend: false },
          mpiReplicaSpecs: { Launcher: replica('mpi') },
        },
      });
      await serviceToBe('MPIJob', name, async () => {
        const { spec } = await client.get(JOBS, { namespace, name: `${name}-launcher` });
        return spec?.template.spec?.subdomain;
      });
    };
    for (const make of which === 'first' ? [makeMPI, makePyTorch] : [makePyTorch, makeMPI]) await make();
  });
});

/** Waits until the job of that kind controls the Service that `subdomain` names. */
async function serviceToBe(kind: string, job: string, subdomain: () => Promise<string | undefined>): Promise<void> {
  let seen: unknown;
  await eventually(
    async () => {
      const name = (await subdomain()) ?? '';
      const { metadata } = await client.get(SERVICES, { namespace, name });
      seen = metadata?.ownerReferences?.map((owner) => [owner.kind, owner.name]);
      expect(seen).toEqual([[kind, job]]);
      return true;
    },
    { withinMs: 60_000, describe: () => ({ kind, job, seen }) },
  );
}
