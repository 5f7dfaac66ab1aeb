/**
 * The condition types of a job. They are Kubeflow's, so that scripts which wait for a condition keep working; the
 * order of the list in a job's status is by time, the newest last. ReplicaFailure, the term of Deployments and ReplicaSets, and Waiting
 * stand first, since clients read the last condition as the state of the job.
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

/** A job has at most one of these with status True, and once it has it, it keeps it (but see reason `InvalidSpec`). */
export const TERMINAL_CONDITION_TYPES = ['Succeeded', 'Failed'] as const satisfies readonly ConditionType[];

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** What status True of each condition means, for the reference pages. */
export const CONDITION_MEANINGS: Readonly<Record<ConditionType, string>> = {
  Created: 'The operator has seen the job.',
  Running: 'The replicas that decide the outcome are running. False once the job is suspended or has ended.',
  Restarting: 'At least one replica failed in a way that is retried, and its replacement does not run yet.',
  Suspended: 'The job is stopped by `spec.runPolicy.suspend`: it has no pods. False after it was resumed.',
  Succeeded: 'The job has ended well. Nothing changes any more.',
  Failed:
    'The job has ended badly; reason and message say why. Nothing changes any more, unless the reason is `InvalidSpec`.',
  ReplicaFailure:
    'Something that the job needs cannot be made, changed or deleted for now; reason and message say what, and who refuses it. It is tried again, and ' +
    'the condition goes when nothing is left to do. It changes no state and stands first in the list.',
  Waiting:
    'Replicas do not run yet, or keep failing (`CrashLoop`), for a reason that is known, which is one of the metric `muster_jobs_waiting`; the message is ' +
    'that of the scheduler or the kubelet. It goes when nothing is waited for any more, changes no state and stands before all but ReplicaFailure.',
  ProgressKnown:
    'Never written: the condition exists only with status False, while no replica has reported the progress of the job for ' +
    '`progressDeadlineSeconds`. It goes when one does, changes no state and stands before the conditions that do.',
};
