/** When an XGBoostJob runs, succeeds or fails. */
import { failedRole, type Outcome, type RoleTally, type TrainingJob } from '@muster/common-job-controller';

/** The master decides. A replica of any role that fails for good fails the job, unless the master has succeeded. */
export function xgboostOutcome({ metadata }: TrainingJob, tallies: readonly RoleTally[]): Outcome {
  const { name } = metadata;
  const deciding = tallies.find(({ role }) => role.name === 'Master');
  if (deciding !== undefined && deciding.succeeded > 0) {
    return { phase: 'Succeeded', message: `XGBoostJob ${name} is successfully completed.` };
  }
  const failed = failedRole(tallies);
  if (failed !== undefined) {
    const message = `XGBoostJob ${name} is failed because ${failed.failed} ${failed.role.name} replica(s) failed.`;
    return { phase: 'Failed', message };
  }
  if (deciding === undefined || deciding.running === 0) return { phase: 'Pending' };
  return { phase: 'Running', message: `XGBoostJob ${name} is running.` };
}
