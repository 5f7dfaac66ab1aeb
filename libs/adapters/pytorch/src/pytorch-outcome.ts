/** When a PyTorchJob runs, succeeds or fails. Follows kubeflow/training-operator, pkg/controller.v1/pytorch. */
import { failedRole, type Outcome, type RoleTally, type TrainingJob } from '@muster/common-job-controller';
import type { PyTorchOptions } from './pytorch-options.ts';

/** The master decides; without one all workers have to succeed, or in an elastic job one of them. */
export function pytorchOutcome(job: TrainingJob<PyTorchOptions>, tallies: readonly RoleTally[]): Outcome {
  const { name, namespace } = job.metadata;
  const { hasMaster, elasticPolicy } = job.options;
  const deciding = tallies.find(({ role }) => role.name === (hasMaster ? 'Master' : 'Worker'));
  const needed = !hasMaster && elasticPolicy !== undefined ? 1 : (deciding?.role.replicas ?? 0);
  if (deciding !== undefined && deciding.succeeded >= needed) {
    const message = hasMaster
      ? `PyTorchJob ${name} is successfully completed.`
      : `PyTorchJob ${namespace}/${name} successfully completed.`;
    return { phase: 'Succeeded', message };
  }
  const failed = failedRole(tallies);
  if (failed !== undefined) {
    const message = `PyTorchJob ${name} is failed because ${failed.failed} ${failed.role.name} replica(s) failed.`;
    return { phase: 'Failed', message };
  }
  if (deciding === undefined || deciding.running === 0) return { phase: 'Pending' };
  return { phase: 'Running', message: `PyTorchJob ${hasMaster ? name : `${namespace}/${name}`} is running.` };
}
