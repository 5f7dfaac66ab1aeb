/** The rule that a job which has ended keeps its number of workers: `kubectl scale` would change nothing else, and report success. */
import type { Rule } from './rule.ts';

/**
 * A job that failed before it had pods, because its spec is invalid, may be corrected: it has no `status.ready`.
 *
 * @param workersCel a CEL expression for the number of workers of the job that an expression names
 */
export function sizeOfEnded<Job>(field: string, workersCel: (job: string) => string): Rule<Job> {
  return {
    cel:
      `!(oldSelf.?status.?state.orValue('') in ['Succeeded', 'Failed'] && oldSelf.?status.?ready.hasValue()) || ` +
      `${workersCel('self')} == ${workersCel('oldSelf')}`,
    message:
      'cannot be changed: the job has ended. To train again, create a new job; if a HorizontalPodAutoscaler scales this one, delete that',
    reason: 'FieldValueForbidden',
    at: ['spec', field, 'Worker', 'replicas'],
  };
}
