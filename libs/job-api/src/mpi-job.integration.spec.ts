import { testCluster } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeAdmission } from '../test-support/describe-admission.ts';
import { MPI_V1_ADMISSION } from '../test/mpi-v1-cases.ts';
import { MPI_V1ALPHA1_ADMISSION } from '../test/mpi-v1alpha1-cases.ts';
import { MPI_V2BETA1_ADMISSION } from '../test/mpi-v2beta1-cases.ts';

import type { Resource } from './kubernetes.ts';
import { MPI_JOBS } from './mpi-job.ts';

const cluster = await testCluster();

describeAdmission(MPI_V2BETA1_ADMISSION, cluster);
describeAdmission(MPI_V1_ADMISSION, cluster);
describeAdmission(MPI_V1ALPHA1_ADMISSION, cluster);

describe('the scale of an MPIJob', () => {
  const { client } = cluster;
  const template = { spec: { containers: [{ name: 'mpi', image: 'registry.example/train:1' }] } };
  let namespace: string;

  beforeAll(async () => {
    namespace = await cluster.namespace();
  });

  async function jobOf(jobs: Resource, name: string, status: object): Promise<void> {
    const mpiReplicaSpecs = { Launcher: { replicas: 1, template }, Worker: { replicas: 2, template } };
    await client.create(jobs, { metadata: { name, namespace }, spec: { mpiReplicaSpecs } } as never);
    await client.patchStatus(jobs, { namespace, name }, { status });
  }

  describe.each(['v2beta1', 'v1'])('of %s', (version) => {
    const jobs: Resource = { ...MPI_JOBS, version };
    const scaledTo = (name: string, replicas: number) =>
      client.patch(jobs, { namespace, name }, { spec: { replicas } }, { subresource: 'scale' });

    it.each(['Succeeded', 'Failed'])('is rejected if the job has ended: %s', async (state) => {
      const name = `ended-${version}-${state.toLowerCase()}`;
      await jobOf(jobs, name, { state, ready: '0/3' });
      await expect(scaledTo(name, 3)).rejects.toThrow('cannot be changed: the job has ended');
      await expect(
        client.patch(jobs, { namespace, name }, { metadata: { labels: { a: 'b' } } }),
      ).resolves.toBeDefined();
    });

    it('is accepted while the job runs', async () => {
      await jobOf(jobs, `runs-${version}`, { state: 'Running', ready: '3/3' });
      await expect(scaledTo(`runs-${version}`, 3)).resolves.toBeDefined();
    });
  });
});
