import { describe, expect, it } from 'vitest';
import { madeOf, planOf, type MPIWorld, type Workload } from '../../test-support/mpi-world.ts';

describe('the pods of a v1alpha1 job', () => {
  it.each<[string, string, MPIWorld]>([
    ['launcher', 'Job', { generation: 'v1alpha1', workers: 0 }],
    ['worker', 'StatefulSet', { generation: 'v1alpha1' }],
  ])('of the role %s have the labels of release 0.2 of the MPI operator', (role, kind, world) => {
    const template = madeOf<Workload>(planOf(world), kind)?.spec?.template;
    expect(template?.metadata?.labels).toMatchObject({
      group_name: 'kubeflow.org',
      mpi_job_name: 'pi',
      mpi_role_type: role,
    });
  });
});
