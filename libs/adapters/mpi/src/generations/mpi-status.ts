import { isReady, type ReplicaPod, type StatusView } from '@muster/common-job-controller';
import { hasCondition, type JobStatus, type MPIJob } from '@muster/job-api';
import type { MPIOptions } from './mpi-options.ts';

/** As in kubeflow/mpi-operator v0.2, pkg/apis/kubeflow/v1alpha1 (MPIJobStatus). */
export function withV1alpha1Status(
  status: JobStatus,
  { job, replicas }: Pick<StatusView<MPIJob, MPIOptions>, 'job' | 'replicas'>,
): JobStatus {
  if (job?.options.generation !== 'v1alpha1') return status;
  const end = endOf(status);
  // It ended under another operator, or its spec was changed later.
  if (end !== undefined && Number.isNaN(job.options.workers)) return status;
  const launcher = replicas.find(({ role }) => role.name === 'Launcher')?.state;
  const launcherStatus = end ?? (launcher && LAUNCHER_STATUS[launcher]);
  const workers = replicas.filter(({ role, pod }) => role.name === 'Worker' && isReady(pod));
  const { launcherStatus: _before, ...kept }: MPIStatus = status;
  // The workers of an ended job are deleted.
  const workerReplicas = end === undefined ? workers.length : 0;
  const extended: MPIStatus = { ...kept, ...(launcherStatus && { launcherStatus }), workerReplicas };
  return extended;
}

/** The launcher of a job that a limit has ended counts as failed. */
function endOf({ conditions }: JobStatus): 'Succeeded' | 'Failed' | undefined {
  if (hasCondition(conditions, 'Succeeded')) return 'Succeeded';
  return hasCondition(conditions, 'Failed') ? 'Failed' : undefined;
}

type MPIStatus = NonNullable<MPIJob['status']>;

const LAUNCHER_STATUS: Partial<Record<ReplicaPod['state'], NonNullable<MPIStatus['launcherStatus']>>> = {
  running: 'Active',
  succeeded: 'Succeeded',
  failed: 'Failed',
};
