/**
 * Rejects changes of the number of workers of an ended job: `kubectl scale` would report success, and nothing would
 * happen.
 */
import type { Rule } from './rule.ts';

/**
 * A job that failed before it had pods, because its spec is invalid, can be corrected: it has no `status.ready`.
 *
 * @param workersCel CEL expression for the number of workers of a job, given the expression for the job
 */
export function endedJobKeepsSize<Job>(field: string, workersCel: (job: string) => string): Rule<Job> {
  return {
    cel:
      `!(oldSelf.?status.?state.orValue('') in ['Succeeded', 'Failed'] && oldSelf.?status.?ready.hasValue()) || ` +
      `${workersCel('self')} == ${workersCel('oldSelf')}`,
    message:
      'cannot be changed: the job has ended. To train again, create a new job; if a HorizontalPodAutoscaler ' +
      'scales this one, delete the autoscaler',
    reason: 'FieldValueForbidden',
    at: ['spec', field, 'Worker', 'replicas'],
  };
}
