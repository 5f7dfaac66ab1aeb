/**
 * An MPI job runs, succeeds or fails with its launcher. Follows kubeflow/mpi-operator,
 * pkg/controller/mpi_job_controller.go (updateMPIJobStatus), and for v1 kubeflow/training-operator,
 * pkg/controller.v1/mpi.
 */
import type { Outcome, RoleTally, TrainingJob } from '@muster/common-job-controller';
import type { MPIOptions } from './generations/mpi-options.ts';

export function outcome({ metadata, options }: TrainingJob<MPIOptions>, tallies: readonly RoleTally[]): Outcome {
  const named = `MPIJob ${metadata.namespace}/${metadata.name}`;
  const launcher = tallies.find(({ role }) => role.name === 'Launcher');
  const workers = tallies.filter(({ role }) => role.name === 'Worker');
  const failedWorkers = sum(workers.map(({ failed }) => failed));
  if (launcher === undefined) return { phase: 'Pending' };
  if (launcher.succeeded > 0) return { phase: 'Succeeded', message: `${named} successfully completed.` };
  if (launcher.failed > 0) return launcherFailed(named, launcher);
  const isLauncherHeld = options.waitsForWorkers && launcher.running === 0;
  if (failedWorkers > 0 && (options.generation === 'v1' || isLauncherHeld)) {
    return { phase: 'Failed', message: `${named} is failing because ${failedWorkers} Worker replica(s) failed.` };
  }
  const endedWorkers = sum(workers.map(({ succeeded }) => succeeded));
  if (isLauncherHeld && endedWorkers > 0) return { phase: 'Failed', message: endedTooEarly(named, endedWorkers) };
  // A lost worker does not fail a v2beta1 job: an elastic job continues without it.
  const all = sum(workers.map(({ role }) => role.replicas));
  const running = sum(workers.map((tally) => tally.running));
  const areWorkersThere = options.generation === 'v1' || running + failedWorkers === all;
  return launcher.running > 0 && areWorkersThere
    ? { phase: 'Running', message: `${named} is running.` }
    : { phase: 'Pending' };
}

function endedTooEarly(named: string, count: number): string {
  const why = `${count} Worker replica(s) ended before the launcher could start processes in them`;
  return `${named} is failing because ${why}: remove the workers' command, or use one that runs until it is stopped.`;
}

function launcherFailed(named: string, { failure }: RoleTally): Outcome {
  const message = sentence(failure?.message || `${named} is failing because its launcher failed`);
  return { phase: 'Failed', message, ...(failure?.reason && { reason: failure.reason }) };
}

/** Kubernetes' messages mostly end without a full stop. */
function sentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
