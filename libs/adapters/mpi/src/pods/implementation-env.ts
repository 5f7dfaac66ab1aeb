/**
 * Environment variables of each MPI implementation for hosts and transport, in the order of Kubeflow's operators
 * (kubeflow/mpi-operator: newLauncherPodTemplate; kubeflow/training-operator: newLauncher). Muster's additions follow
 * upstream's block of the implementation.
 */
import type { EnvVar } from '@muster/job-api';
import { HOSTFILE_PATH, KUBEXEC_PATH } from './container-paths.ts';
import type { MPIModel } from '../generations/mpi-model.ts';

/** DNS may resolve a worker's name a little later than its sshd starts. */
const SSH_ARGS = '-o ConnectionAttempts=10';

/** @param users the launcher's own variables, which take precedence. Those for Open MPI 4 also apply to Open MPI 5. */
export function launcherEnv(model: MPIModel, users: readonly EnvVar[] = []): EnvVar[] {
  const all = [
    ...(model.generation === 'v2beta1' ? [roleEnv('launcher')] : []),
    ...(model.transport === 'ssh' ? sshEnv(model, users) : execEnv(users)),
    ...(model.launcherComputes ? [] : NO_GPUS),
    ...(model.generation === 'v1' ? INTEL_EXEC : []),
  ];
  return all.filter(({ name }) => !users.some((user) => user.name === name));
}

export function workerEnv({ generation }: Pick<MPIModel, 'generation'>): EnvVar[] {
  return generation === 'v2beta1' ? [roleEnv('worker')] : [];
}

function roleEnv(value: 'launcher' | 'worker'): EnvVar {
  return { name: 'K_MPI_JOB_ROLE', value };
}

/** A launcher that does not compute must not see its node's GPUs, which some container runtimes expose by default. */
const NO_GPUS: readonly EnvVar[] = [
  { name: 'NVIDIA_VISIBLE_DEVICES', value: '' },
  { name: 'NVIDIA_DRIVER_CAPABILITIES', value: '' },
];

const INTEL_EXEC: readonly EnvVar[] = [
  { name: 'I_MPI_HYDRA_BOOTSTRAP', value: 'rsh' },
  { name: 'I_MPI_HYDRA_BOOTSTRAP_EXEC', value: KUBEXEC_PATH },
];

function sshEnv({ implementation, slots }: MPIModel, users: readonly EnvVar[]): EnvVar[] {
  switch (implementation) {
    case 'OpenMPI':
      return forBothOpenMPIs(users, [
        { name: 'OMPI_MCA_orte_keep_fqdn_hostnames', value: 'true' },
        { name: 'OMPI_MCA_orte_default_hostfile', value: HOSTFILE_PATH },
        { name: 'OMPI_MCA_plm_rsh_args', value: SSH_ARGS },
        { name: 'OMPI_MCA_orte_set_default_slots', value: String(slots) },
      ]);
    case 'Intel':
      return [
        { name: 'I_MPI_HYDRA_HOST_FILE', value: HOSTFILE_PATH },
        { name: 'I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS', value: SSH_ARGS },
        { name: 'I_MPI_PERHOST', value: String(slots) },
      ];
    case 'MPICH':
      return [
        { name: 'HYDRA_HOST_FILE', value: HOSTFILE_PATH },
        { name: 'HYDRA_LAUNCH_EXTRA_ARGS', value: SSH_ARGS },
      ];
  }
}

function execEnv(users: readonly EnvVar[]): EnvVar[] {
  return forBothOpenMPIs(users, [
    { name: 'OMPI_MCA_plm_rsh_agent', value: KUBEXEC_PATH },
    { name: 'OMPI_MCA_orte_default_hostfile', value: HOSTFILE_PATH },
    // With more than 64 hosts, workers would start others, but they have no kubectl and no right to use it.
    { name: 'OMPI_MCA_plm_rsh_no_tree_spawn', value: 'true' },
  ]);
}

/**
 * Open MPI 5 ignores the variables of Open MPI 4: without its own, `mpirun` silently starts all processes on the
 * launcher. Each version ignores the other's.
 */
export function forBothOpenMPIs(users: readonly EnvVar[], ours: readonly EnvVar[]): EnvVar[] {
  const effective = ours.map((own) => users.findLast(({ name }) => name === own.name) ?? own);
  return [...ours, ...effective.map((variable) => ({ ...variable, name: prteName(variable.name) }))];
}

/** Open MPI 5 translates settings of Open MPI 4 in the same way. */
function prteName(name: string): string {
  return name.replace('OMPI_MCA_orte_', 'PRTE_MCA_prte_').replace('OMPI_MCA_plm_rsh_', 'PRTE_MCA_plm_ssh_');
}
