/**
 * An MXJob runs, succeeds or fails with its workers, or its tuners. Schedulers, servers and trackers end later or
 * never; a failure of any of them fails the job.
 */
import { failedRole, type Outcome, type RoleTally } from '@muster/common-job-controller';
import { decidingRole, type MXTrainingJob } from './mx-options.ts';

/** Messages are those of kubeflow/training-operator v1.8, pkg/controller.v1/mxnet. */
export function outcome(job: MXTrainingJob, tallies: readonly RoleTally[]): Outcome {
  const { name } = job.metadata;
  const role = decidingRole(job);
  const deciding = tallies.find((tally) => tally.role === role);
  // A role may be scaled down to 0 and up again: 0 of 0 is not a success.
  if (deciding !== undefined && deciding.succeeded > 0 && deciding.succeeded >= deciding.role.replicas) {
    return { phase: 'Succeeded', message: `MXJob ${name} is successfully completed.` };
  }
  const failed = failedRole(tallies);
  if (failed !== undefined) {
    const message = `mxjob ${name} is failed because ${failed.failed} ${failed.role.name} replica(s) failed.`;
    return { phase: 'Failed', message };
  }
  if (deciding === undefined || deciding.running === 0) return { phase: 'Pending' };
  return { phase: 'Running', message: `MXJob ${name} is running.` };
}
