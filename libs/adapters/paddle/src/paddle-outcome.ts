/** When a PaddleJob runs, succeeds or fails. Follows kubeflow/training-operator, pkg/controller.v1/paddlepaddle. */
import { failedRole, type Outcome, type RoleTally, type TrainingJob } from '@muster/common-job-controller';

/** The master decides; without one all workers have to succeed. A replica that fails for good fails the job. */
export function paddleOutcome({ metadata }: TrainingJob, tallies: readonly RoleTally[]): Outcome {
  const { name, namespace } = metadata;
  // Roles are in the order Master, Worker.
  const deciding = tallies.find(({ role }) => role.replicas > 0);
  const hasMaster = deciding?.role.name === 'Master';
  if (deciding !== undefined && deciding.succeeded >= deciding.role.replicas) {
    const message = hasMaster
      ? `PaddleJob ${name} is successfully completed.`
      : `PaddleJob ${namespace}/${name} successfully completed.`;
    return { phase: 'Succeeded', message };
  }
  const failed = failedRole(tallies);
  if (failed !== undefined) {
    const message = `PaddleJob ${name} is failed because ${failed.failed} ${failed.role.name} replica(s) failed.`;
    return { phase: 'Failed', message };
  }
  if (deciding === undefined || deciding.running === 0) return { phase: 'Pending' };
  return { phase: 'Running', message: `PaddleJob ${hasMaster ? name : `${namespace}/${name}`} is running.` };
}
