/** When a JAXJob runs, succeeds or fails. */
import { failedRole, type Outcome, type RoleTally, type TrainingJob } from '@muster/common-job-controller';

/** All workers have to succeed. A replica that fails for good fails the job. */
export function jaxOutcome({ metadata }: TrainingJob, tallies: readonly RoleTally[]): Outcome {
  const { name, namespace } = metadata;
  const deciding = tallies.find(({ role }) => role.replicas > 0);
  if (deciding !== undefined && deciding.succeeded >= deciding.role.replicas) {
    return { phase: 'Succeeded', message: `JAXJob ${namespace}/${name} successfully completed.` };
  }
  const failed = failedRole(tallies);
  if (failed !== undefined) {
    const message = `JAXJob ${name} is failed because ${failed.failed} ${failed.role.name} replica(s) failed.`;
    return { phase: 'Failed', message };
  }
  if (deciding === undefined || deciding.running === 0) return { phase: 'Pending' };
  return { phase: 'Running', message: `JAXJob ${namespace}/${name} is running.` };
}
