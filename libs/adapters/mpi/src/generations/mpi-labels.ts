/** Labels of MPI jobs' pods, as set by each upstream operator, for existing scripts and dashboards. */
import type { Replica, TrainingJob } from '@muster/common-job-controller';
import { JOB_ROLE_MASTER, LABELS, MPI_JOBS, OPERATOR_NAMES, type Pod } from '@muster/job-api';
import type { MPIOptions } from './mpi-options.ts';

/**
 * v1 as in kubeflow/training-operator, the others as in kubeflow/mpi-operator. v1alpha1 also has those of release 0.2:
 * users find the log by `kubectl get pods -l mpi_job_name=<job>,mpi_role_type=launcher`.
 */
export function podLabels({ metadata, options }: TrainingJob<MPIOptions>, replica: Replica): Record<string, string> {
  const own = { [LABELS.jobName]: metadata.name };
  const role = replica.role.name.toLowerCase();
  const isLauncher = role === 'launcher';
  switch (options.generation) {
    case 'v1':
      return {
        ...own,
        [LABELS.operatorName]: OPERATOR_NAMES.MPIJobV1,
        [LABELS.replicaType]: role,
        ...(isLauncher ? { [LABELS.jobRole]: JOB_ROLE_MASTER } : { [LABELS.replicaIndex]: String(replica.index) }),
      };
    case 'v2beta1':
      return {
        ...own,
        [LABELS.operatorName]: OPERATOR_NAMES.MPIJob,
        [LABELS.jobRole]: role,
        ...hostIndex(options, isLauncher ? 'launcher' : replica.index),
      };
    case 'v1alpha1':
      return {
        ...(isLauncher ? {} : { app: `${metadata.name}-worker` }),
        ...own,
        [LABELS.operatorName]: OPERATOR_NAMES.MPIJob,
        [LABELS.jobRole]: role,
        group_name: MPI_JOBS.group,
        mpi_job_name: metadata.name,
        mpi_role_type: role,
      };
  }
}

/** Counts hosts that compute; a launcher that computes is 0. */
function hostIndex({ launcherComputes }: MPIOptions, host: 'launcher' | number): Record<string, string> {
  if (host === 'launcher') return launcherComputes ? { [LABELS.replicaIndex]: '0' } : {};
  return { [LABELS.replicaIndex]: String(launcherComputes ? host + 1 : host) };
}

/** By the number in its name: labels count hosts, and all pods of a StatefulSet have the same labels. */
export function replicaOf({ metadata }: Pod): { role: string; index: number } | undefined {
  const { [LABELS.jobRole]: jobRole, [LABELS.replicaType]: role = jobRole } = metadata?.labels ?? {};
  if (role === 'launcher') return { role, index: 0 };
  const index = /-(\d+)$/.exec(metadata?.name ?? '')?.[1];
  return role === undefined || index === undefined ? undefined : { role, index: Number(index) };
}
