/**
 * Condition types of a job. Most are Kubeflow's, so that scripts that wait for a condition keep working. In the status
 * they are ordered by time, newest last. ReplicaFailure (as in Deployments and ReplicaSets), Waiting and ProgressKnown
 * come first, because clients read the last condition as the state of the job.
 */
export const CONDITION_TYPES = [
  'Created',
  'Running',
  'Restarting',
  'Suspended',
  'Succeeded',
  'Failed',
  'ReplicaFailure',
  'Waiting',
  'ProgressKnown',
] as const;

export type ConditionType = (typeof CONDITION_TYPES)[number];

/** At most one of these is True, and it stays True (exception: reason `InvalidSpec`). */
export const TERMINAL_CONDITION_TYPES = ['Succeeded', 'Failed'] as const satisfies readonly ConditionType[];

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** Meaning of status True of each condition, for the reference pages. */
export const CONDITION_MEANINGS: Readonly<Record<ConditionType, string>> = {
  Created: 'The operator has started to manage the job.',
  Running: 'The replicas that decide the outcome are running. False once the job is suspended or has ended.',
  Restarting: 'At least one replica failed and is being retried. Its replacement does not run yet.',
  Suspended: 'The job is suspended by `spec.runPolicy.suspend` and has no pods. False after it is resumed.',
  Succeeded: 'The job has succeeded. This is final.',
  Failed: 'The job has failed; see reason and message. This is final, unless the reason is `InvalidSpec`.',
  ReplicaFailure:
    'An object that the job needs cannot be created, updated or deleted at the moment. Reason and message say ' +
    'which and why. Muster retries, and removes the condition when nothing is left to do. It does not change ' +
    'the state of the job and is first in the list.',
  Waiting:
    'Replicas do not run yet, or keep failing (`CrashLoop`), for one of the reasons of the metric ' +
    '`muster_jobs_waiting`. The message is that of the scheduler or the kubelet. Removed when nothing is ' +
    'waiting any more. It does not change the state of the job. In the list, only ReplicaFailure precedes it.',
  ProgressKnown:
    'Exists only with status False: no replica has reported progress for `progressDeadlineSeconds`. Removed ' +
    'when one does. It does not change the state of the job, and precedes the conditions that do.',
};

type Conditions = readonly { readonly type: string; readonly status: string }[];

/** Whether the condition is True. */
export function hasCondition(conditions: Conditions | undefined, type: ConditionType): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

export function isFinished({ conditions }: { readonly conditions?: Conditions }): boolean {
  return TERMINAL_CONDITION_TYPES.some((type) => hasCondition(conditions, type));
}
