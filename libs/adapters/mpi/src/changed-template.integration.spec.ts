/** MPIJobs whose template changes while suspended, with Kubernetes' own Jobs and StatefulSets. */
import { createJobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  LABELS,
  MPI_JOBS,
  mpiJobDefinition,
  PODS,
  type KubeObject,
  type MPIGeneration,
  type Pod,
  type PodTemplateSpec,
  type Resource,
} from '@muster/job-api';
import { eventually, installCrd, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mpiAdapter } from './mpi-adapter.ts';

interface Launcher extends KubeObject {
  spec?: { suspend?: boolean; template?: PodTemplateSpec };
}

const BATCH_JOBS: Resource<Launcher> = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
};

const WITHIN_MS = 60_000;
const cluster = await testCluster();
const { client } = cluster;
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

beforeAll(() => installCrd(client, crdFor(mpiJobDefinition)));

/** An MPIJob `pi` of two workers in its own namespace. */
class StagedMPIJob {
  readonly #jobs: Resource;
  readonly #generation: MPIGeneration;
  readonly #key: { namespace: string; name: string };

  constructor(generation: MPIGeneration, namespace: string) {
    this.#jobs = { ...MPI_JOBS, version: generation };
    this.#generation = generation;
    this.#key = { namespace, name: 'pi' };
  }

  create(image: string): Promise<KubeObject> {
    return client.create<KubeObject>(this.#jobs, {
      apiVersion: `kubeflow.org/${this.#generation}`,
      kind: 'MPIJob',
      metadata: this.#key,
      spec: this.spec({ image, sized: true }),
    } as KubeObject);
  }

  /** The pods' image and nodeSelector, and suspension. */
  async change(change: { image?: string; nodeSelector?: Record<string, string>; suspend?: boolean }): Promise<void> {
    const { suspend, ...pods } = change;
    const runPolicy = suspend === undefined ? {} : { runPolicy: { suspend } };
    const isOfPods = Object.keys(pods).length > 0;
    await client.patch(this.#jobs, this.#key, { spec: { ...runPolicy, ...(isOfPods && this.spec(pods)) } });
  }

  spec({ image, sized = false, ...rest }: { image?: string; nodeSelector?: object; sized?: boolean }): object {
    const container = { name: 'mpi', image, command: ['mpirun'] };
    const template = { spec: { schedulerName: 'absent', ...(image && { containers: [container] }), ...rest } };
    if (this.#generation === 'v1alpha1') return { ...(sized && { replicas: 2 }), template };
    return { mpiReplicaSpecs: { Launcher: { template }, Worker: { ...(sized && { replicas: 2 }), template } } };
  }

  async pods(): Promise<Pod[]> {
    const { namespace, name } = this.#key;
    return (await client.list(PODS, { namespace, labelSelector: `${LABELS.jobName}=${name}` })).items;
  }

  launcher(): Promise<Launcher> {
    return client.get(BATCH_JOBS, { ...this.#key, name: 'pi-launcher' });
  }

  /** Waits for that many pods, all of this image. */
  async podsToBe(count: number, image = ''): Promise<Pod[]> {
    const images = async () => (await this.pods()).map(({ spec }) => spec?.containers[0]?.image);
    return eventually(
      async () => {
        const pods = await this.pods();
        const areAll = pods.every(({ spec }) => spec?.containers[0]?.image === image);
        return pods.length === count && areAll ? pods : undefined;
      },
      { withinMs: WITHIN_MS, describe: async () => `${count} pods of ${image}, not: ${(await images()).join()}` },
    );
  }
}

async function fixture(generation: MPIGeneration): Promise<StagedMPIJob> {
  const namespace = await cluster.namespace();
  const registry = new Registry();
  const options = loneOperatorOptions({
    client,
    namespaces: [namespace],
    serviceMode: 'PerJob',
    clock: new TravelClock(),
    logger: silent,
  });
  const adapter = mpiAdapter({ launcherComputes: false });
  const operator = await started(createJobOperator({ ...options, adapters: [adapter], registry }), registry);
  onTestFinished(() => operator.stop());
  return new StagedMPIJob(generation, namespace);
}

const FIRST = 'registry.example/pi:1';
const SECOND = 'registry.example/pi:2';

describe('an MPIJob whose template is changed while it is suspended', () => {
  it('has the new template in its suspended launcher, and in all pods of its next run', async () => {
    const job = await fixture('v2beta1');
    await job.create(FIRST);
    await job.podsToBe(3, FIRST);
    await job.change({ suspend: true });
    await job.podsToBe(0);
    await job.change({ image: SECOND });
    await eventually(
      async () => {
        const { spec } = await job.launcher();
        return spec?.suspend === true && spec.template?.spec?.containers[0]?.image === SECOND;
      },
      { withinMs: WITHIN_MS, describe: 'the suspended Job of the launcher has the new image' },
    );
    await job.change({ suspend: false });
    await job.podsToBe(3, SECOND);
  });

  it('uses the new template when it is resumed in the same patch', async () => {
    const job = await fixture('v2beta1');
    await job.create(FIRST);
    await job.podsToBe(3, FIRST);
    await job.change({ suspend: true });
    await job.podsToBe(0);
    await job.change({ image: SECOND, suspend: false });
    await job.podsToBe(3, SECOND);
  });

  it('keeps its launcher when a queue sets the nodeSelector', async () => {
    const job = await fixture('v2beta1');
    await job.create(FIRST);
    await job.podsToBe(3, FIRST);
    const before = await job.launcher();
    await job.change({ suspend: true });
    await job.podsToBe(0);
    await job.change({ nodeSelector: { zone: 'north' }, suspend: false });
    const pods = await job.podsToBe(3, FIRST);
    expect(pods.map(({ spec }) => spec?.nodeSelector)).toEqual([0, 1, 2].map(() => ({ zone: 'north' })));
    expect((await job.launcher()).metadata?.uid).toBe(before.metadata?.uid);
  });

  it('has the new template in the workers of a StatefulSet, too', async () => {
    const job = await fixture('v1alpha1');
    await job.create(FIRST);
    await job.podsToBe(2, FIRST);
    await job.change({ suspend: true });
    await job.podsToBe(0);
    await job.change({ image: SECOND });
    await job.change({ suspend: false });
    await job.podsToBe(2, SECOND);
  });
});
