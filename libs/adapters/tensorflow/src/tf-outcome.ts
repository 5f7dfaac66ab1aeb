/**
 * When a TFJob runs, succeeds or fails (kubeflow/training-operator, pkg/controller.v1/tensorflow: status). The chief
 * decides; without one worker 0, or all workers. Parameter servers and evaluators never make it succeed.
 */
import { failedRole, type Outcome, type RoleTally } from '@muster/common-job-controller';
import { chiefOf, type TFTrainingJob } from './tf-options.ts';

export function outcome(job: TFTrainingJob, tallies: readonly RoleTally[]): Outcome {
  const { name, namespace } = job.metadata;
  const chief = chiefOf(job);
  const deciding = tallies.find(({ role }) => (chief === undefined ? role.name === 'Worker' : role === chief));
  const isDone = deciding !== undefined && (chief === undefined ? areWorkersDone(job, deciding) : hasAll(deciding));
  if (isDone) return { phase: 'Succeeded', message: `TFJob ${namespace}/${name} successfully completed.` };
  const failed = failedRole(tallies.filter((tally) => doesFailureCount(job, tally)));
  if (failed !== undefined) {
    const message = `TFJob ${namespace}/${name} has failed because ${failed.failed} ${failed.role.name} replica(s) failed.`;
    return { phase: 'Failed', message };
  }
  if (deciding === undefined || deciding.running === 0) return { phase: 'Pending' };
  return { phase: 'Running', message: `TFJob ${namespace}/${name} is running.` };
}

/** Dynamic workers that have failed are not waited for. */
function areWorkersDone({ options }: TFTrainingJob, workers: RoleTally): boolean {
  if (workers.hasFirstSucceeded && !options.needsAllWorkers) return true;
  if (!options.isDynamic) return hasAll(workers);
  return workers.succeeded > 0 && workers.succeeded + workers.failed >= workers.role.replicas;
}

/** A role may be scaled down to 0 and up again: 0 of 0 is not a success. */
function hasAll({ role, succeeded }: RoleTally): boolean {
  return succeeded > 0 && succeeded >= role.replicas;
}

/** Dynamic workers may fail as long as one is left. */
function doesFailureCount({ options }: TFTrainingJob, { role, failed }: RoleTally): boolean {
  return !options.isDynamic || role.name !== 'Worker' || failed >= role.replicas;
}
