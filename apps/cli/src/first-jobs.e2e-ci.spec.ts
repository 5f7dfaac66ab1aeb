/**
 * The first jobs of a new user, `examples/first-job`, on a real node: public images, programs in ConfigMaps. The node pulls nothing, so each
 * runs in the local cluster's image instead of the public one.
 */
import { readFile } from 'node:fs/promises';
import {
  LABELS,
  MPI_JOBS,
  PODS,
  PYTORCH_CONTAINER,
  PYTORCH_JOBS,
  RAY_JOBS,
  type KubeObject,
  type Resource,
} from '@muster/job-api';
import { TRAINING_TIMEOUT_MS, trainingResult, trainingFixture, type TrainingFixture } from '@muster/testing';
import { parseAllDocuments } from 'yaml';
import { describe, expect, it } from 'vitest';

const CONFIG_MAPS: Resource = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };

const pytorch = await trainingFixture('pytorch-elastic', PYTORCH_CONTAINER);
const mpi = await trainingFixture('mpi', 'mpi-launcher');
const ray = await trainingFixture('ray', 'ray-job-submitter');

/** Creates the objects of the file, with this image instead of the public one. */
async function create(fixture: TrainingFixture, job: Resource, file: string, image: string): Promise<void> {
  const text = await readFile(new URL(`../../../examples/first-job/${file}`, import.meta.url), 'utf8');
  expect(text).toMatch(/^ +image: \S+$/m);
  for (const document of parseAllDocuments(text.replaceAll(/^( +image: )\S+$/gm, `$1${image}`))) {
    const manifest = document.toJS() as KubeObject;
    const metadata = { ...manifest.metadata, namespace: fixture.namespace };
    await fixture.client.create<KubeObject>(manifest.kind === 'ConfigMap' ? CONFIG_MAPS : job, {
      ...manifest,
      metadata,
    });
  }
}

describe('the first job', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('of PyTorch trains in two workers', async () => {
    await create(pytorch, PYTORCH_JOBS, 'pytorch.yaml', 'muster.local/torch-examples:2.6');
    await pytorch.toSucceed(PYTORCH_JOBS, 'first-pytorch');
    const { first, last, workers } = await pytorch.resultOf('first-pytorch-worker-0');
    expect(workers).toBe(2);
    expect(last).toBeLessThan(first / 2);
  });

  it('of MPI computes pi in four ranks', async () => {
    await create(mpi, { ...MPI_JOBS, version: 'v2beta1' }, 'mpi.yaml', 'muster.local/openmpi-examples:4.1');
    await mpi.toSucceed(MPI_JOBS, 'first-mpi');
    const launcher = await mpi.podOf('first-mpi', { [LABELS.jobRole]: 'launcher' });
    const log = await mpi.logOf(launcher.metadata.name);
    expect(log).toMatch(/^pi 3\.14159265 ranks 4$/m);
    expect(log).toMatch(/^rank 3 of 4 on first-mpi-worker-1: /m);
  });

  it('of Ray trains on a head and a worker', async () => {
    await create(ray, RAY_JOBS, 'ray.yaml', 'muster.local/ray-examples:2.60');
    const isOver = ({ status }: { status?: { jobDeploymentStatus?: string } }) =>
      ['Complete', 'Failed'].includes(status?.jobDeploymentStatus ?? '');
    const { status } = await ray.objectToBe(RAY_JOBS, 'first-ray', isOver, () => Promise.resolve(ray.operatorLog));
    expect(status).toMatchObject({ jobStatus: 'SUCCEEDED' });
    const { client, namespace } = ray;
    const { items } = await client.list(PODS, { namespace, labelSelector: 'batch.kubernetes.io/job-name=first-ray' });
    const { first, last, workers } = trainingResult(await ray.logOf(items[0]?.metadata?.name ?? ''));
    expect(workers).toBe(2);
    expect(last).toBeLessThan(first / 5);
  });
});
