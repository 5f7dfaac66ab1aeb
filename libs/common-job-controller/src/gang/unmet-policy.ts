import { ANNOTATIONS, SCHEDULING_POLICY_FIELDS, type KubeObject } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import type { GangScheduler, GangSetting, GangRules } from '../contract/gang-scheduler.ts';

/** The messages of the Warning `SchedulingPolicyNotMet`. `group`: the job's group, if it exists. */
export function unmetPolicy(gang: GangScheduler, job: TrainingJob, rules: GangRules, group?: KubeObject): string[] {
  const unread = wishesOf(job).filter((wish) => !gang.reads.includes(wish));
  const ignored =
    unread.length === 0
      ? undefined
      : `The gang scheduler ${gang.name} ignores ${unread.join(' and ')}, which it does not support`;
  const unmet = group && gang.groups?.unmetRequest?.(group, job);
  return [ignored, gang.shortcoming?.(job, rules), unmet].filter((message) => message !== undefined);
}

function wishesOf({ metadata, runPolicy }: TrainingJob): GangSetting[] {
  const { schedulingPolicy = {} } = runPolicy;
  const fields = SCHEDULING_POLICY_FIELDS.filter((field) => schedulingPolicy[field] !== undefined);
  return metadata.annotations?.[ANNOTATIONS.gangTopology] === undefined
    ? fields
    : [...fields, ANNOTATIONS.gangTopology];
}
