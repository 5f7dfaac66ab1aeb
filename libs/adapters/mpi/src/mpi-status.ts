/** The fields of the status that only v1alpha1 has. */
import { isReady, type ReplicaPod, type TrainingJob } from '@muster/common-job-controller';
import type { JobStatus, MPIJob } from '@muster/job-api';
import type { MPIOptions } from './mpi-options.ts';

/** Follows kubeflow/mpi-operator v0.2, pkg/apis/kubeflow/v1alpha1 (MPIJobStatus). */
export function withV1alpha1Status(
  { options }: TrainingJob<MPIOptions>,
  status: JobStatus,
  replicas: readonly ReplicaPod[],
): JobStatus {
  if (options.generation !== 'v1alpha1') return status;
  const launcher = replicas.find(({ role }) => role.name === 'Launcher')?.state;
  const workers = replicas.filter(({ role, pod }) => role.name === 'Worker' && pod !== undefined && isReady(pod));
  const word = launcher && WORDS[launcher];
  // Of a job that has ended, the workers are stopped.
  const hasEnded = word === 'Succeeded' || word === 'Failed';
  const workerReplicas = hasEnded ? 0 : workers.length;
  const extended: MPIStatus = { ...status, ...(word && { launcherStatus: word }), workerReplicas };
  return extended;
}

type MPIStatus = NonNullable<MPIJob['status']>;

const WORDS: Partial<Record<ReplicaPod['state'], NonNullable<MPIStatus['launcherStatus']>>> = {
  running: 'Active',
  succeeded: 'Succeeded',
  failed: 'Failed',
};
