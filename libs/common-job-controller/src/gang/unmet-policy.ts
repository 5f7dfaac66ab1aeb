/** What a job asks of its gang scheduler that the scheduler does not do. */
import { SCHEDULING_POLICY_FIELDS } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import type { GangScheduler } from './gang-scheduler.ts';
import type { GangRules } from './gang-size.ts';

/** For the Warning `SchedulingPolicyNotMet`. */
export function unmetPolicy(gang: GangScheduler, job: TrainingJob, rules: GangRules): string[] {
  const { schedulingPolicy = {} } = job.runPolicy;
  const unread = SCHEDULING_POLICY_FIELDS.filter(
    (field) => schedulingPolicy[field] !== undefined && !gang.reads.includes(field),
  );
  const shortcoming = gang.shortcoming?.(job, rules);
  return [
    ...(unread.length === 0
      ? []
      : [
          `The gang scheduler ${gang.name} has no use for ${unread.join(' and ')} of the scheduling policy: the pods are placed without regard to it`,
        ]),
    ...(shortcoming === undefined ? [] : [shortcoming]),
  ];
}
