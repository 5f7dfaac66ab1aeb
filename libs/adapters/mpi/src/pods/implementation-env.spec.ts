import type { EnvVar } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../test-support/mpi-models.ts';
import { launcherEnv, workerEnv } from './implementation-env.ts';
import type { MPIGeneration, MPIModel } from '../generations/mpi-model.ts';

const lines = (env: readonly EnvVar[]) => env.map(({ name, value }) => `${name}=${value}`);

const NO_GPUS = ['NVIDIA_VISIBLE_DEVICES=', 'NVIDIA_DRIVER_CAPABILITIES='];
const OPEN_MPI_SSH = [
  'K_MPI_JOB_ROLE=launcher',
  'OMPI_MCA_orte_keep_fqdn_hostnames=true',
  'OMPI_MCA_orte_default_hostfile=/etc/mpi/hostfile',
  'OMPI_MCA_plm_rsh_args=-o ConnectionAttempts=10',
  'OMPI_MCA_orte_set_default_slots=2',
  'PRTE_MCA_prte_keep_fqdn_hostnames=true',
  'PRTE_MCA_prte_default_hostfile=/etc/mpi/hostfile',
  'PRTE_MCA_plm_ssh_args=-o ConnectionAttempts=10',
  'PRTE_MCA_prte_set_default_slots=2',
];
const OPEN_MPI_EXEC = [
  'OMPI_MCA_plm_rsh_agent=/etc/mpi/kubexec.sh',
  'OMPI_MCA_orte_default_hostfile=/etc/mpi/hostfile',
  'OMPI_MCA_plm_rsh_no_tree_spawn=true',
  'PRTE_MCA_plm_ssh_agent=/etc/mpi/kubexec.sh',
  'PRTE_MCA_prte_default_hostfile=/etc/mpi/hostfile',
  'PRTE_MCA_plm_ssh_no_tree_spawn=true',
];
const INTEL_SSH = [
  'K_MPI_JOB_ROLE=launcher',
  'I_MPI_HYDRA_HOST_FILE=/etc/mpi/hostfile',
  'I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS=-o ConnectionAttempts=10',
  'I_MPI_PERHOST=2',
];
const MPICH_SSH = [
  'K_MPI_JOB_ROLE=launcher',
  'HYDRA_HOST_FILE=/etc/mpi/hostfile',
  'HYDRA_LAUNCH_EXTRA_ARGS=-o ConnectionAttempts=10',
];
const INTEL_EXEC = ['I_MPI_HYDRA_BOOTSTRAP=rsh', 'I_MPI_HYDRA_BOOTSTRAP_EXEC=/etc/mpi/kubexec.sh'];

describe("a launcher's environment", () => {
  it.each<[generation: MPIGeneration, others: Partial<MPIModel>, env: string[]]>([
    ['v2beta1', {}, [...OPEN_MPI_SSH, ...NO_GPUS]],
    ['v2beta1', { launcherComputes: true }, OPEN_MPI_SSH],
    ['v2beta1', { implementation: 'Intel' }, [...INTEL_SSH, ...NO_GPUS]],
    ['v2beta1', { implementation: 'MPICH', launcherComputes: true }, MPICH_SSH],
    ['v1', {}, [...OPEN_MPI_EXEC, ...NO_GPUS, ...INTEL_EXEC]],
    ['v1', { launcherComputes: true }, [...OPEN_MPI_EXEC, ...INTEL_EXEC]],
    ['v1alpha1', {}, [...OPEN_MPI_EXEC, ...NO_GPUS]],
    ['v1alpha1', { launcherComputes: true }, OPEN_MPI_EXEC],
  ])('in %s with %j', (generation, others, env) => {
    expect(lines(launcherEnv(modelOf(generation, others)))).toEqual(env);
  });

  it('has the number of slots', () => {
    expect(lines(launcherEnv(modelOf('v2beta1', { slots: 8 })))).toEqual(
      expect.arrayContaining(['OMPI_MCA_orte_set_default_slots=8', 'PRTE_MCA_prte_set_default_slots=8']),
    );
  });

  it.each<[generation: MPIGeneration, user: string, left: string[]]>([
    ['v1', 'I_MPI_HYDRA_BOOTSTRAP', [...OPEN_MPI_EXEC, ...NO_GPUS, INTEL_EXEC[1]!]],
    ['v1', 'I_MPI_HYDRA_BOOTSTRAP_EXEC', [...OPEN_MPI_EXEC, ...NO_GPUS, INTEL_EXEC[0]!]],
    ['v1', 'NVIDIA_VISIBLE_DEVICES', [...OPEN_MPI_EXEC, NO_GPUS[1]!, ...INTEL_EXEC]],
    ['v2beta1', 'PRTE_MCA_prte_set_default_slots', [...OPEN_MPI_SSH.slice(0, -1), ...NO_GPUS]],
  ])('of %s keeps the %s that the user has set', (generation, user, left) => {
    expect(lines(launcherEnv(modelOf(generation), [{ name: user, value: 'theirs' }]))).toEqual(left);
  });

  it("has the user's settings of Open MPI 4 also for Open MPI 5", () => {
    const users = [{ name: 'OMPI_MCA_plm_rsh_args', value: '-p 2222' }];
    const env = lines(launcherEnv(modelOf('v2beta1'), users));
    expect(env).toContain('PRTE_MCA_plm_ssh_args=-p 2222');
    expect(env.filter((line) => line.startsWith('OMPI_MCA_plm_rsh_args'))).toEqual([]);
  });
});

describe("a worker's environment", () => {
  it.each<[generation: MPIGeneration, env: string[]]>([
    ['v2beta1', ['K_MPI_JOB_ROLE=worker']],
    ['v1', []],
    ['v1alpha1', []],
  ])('in %s', (generation, env) => {
    expect(lines(workerEnv(modelOf(generation)))).toEqual(env);
  });
});
