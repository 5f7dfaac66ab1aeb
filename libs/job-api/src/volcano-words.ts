/** What a Volcano Job says beside its fields: for the reference page. */
import { ANNOTATION_MEANINGS, ANNOTATIONS } from './annotations.ts';
import type { KindWords } from './kind-definition.ts';

export const VOLCANO_JOB_WORDS: KindWords = {
  conditions: {
    Pending: 'Fewer pods run, or have ended, than the job needs.',
    Running: 'As many pods run, or have ended, as the job needs.',
    Restarting: 'Pods are made anew because a policy says so.',
    Aborting: 'Aborted, with pods that are still going.',
    Aborted: 'Stopped by a command, until another resumes it; or ended by a policy.',
    Completing: 'Completed, with pods that are still going.',
    Completed: 'Ended well: by a policy, by a command, or because enough pods have succeeded.',
    Terminating: 'Terminated, with pods that are still going.',
    Terminated: 'Ended by a policy or a command.',
    Failed: 'Ended badly: too few pods have succeeded, or it was restarted as often as `maxRetry` allows.',
  },
  reasons: {
    JobCreated: 'When the operator has taken the job.',
    JobRunning: 'With Running.',
    JobRestarting: 'With Restarting; the message has the pod and how it ended.',
    JobSuspended: 'With Aborted, by a command.',
    JobResumed: 'When a command has resumed it.',
    JobSucceeded: 'With Completed.',
    JobFailed: 'With Failed.',
    JobAborted: 'With Aborted, by a policy.',
    JobTerminated: 'With Terminated.',
    InvalidSpec: 'With Failed: the message has the path of each field that is wrong.',
  },
  labels: {
    'volcano.sh/job-name': 'The job.',
    'volcano.sh/job-namespace': 'Its namespace.',
    'volcano.sh/task-spec': 'The task.',
    'volcano.sh/task-index': "The pod's number in the task.",
    'volcano.sh/queue-name': 'The queue.',
  },
  annotations: {
    [ANNOTATIONS.gangScheduler]: ANNOTATION_MEANINGS.gangScheduler,
    [ANNOTATIONS.gangTopology]: ANNOTATION_MEANINGS.gangTopology,
    [ANNOTATIONS.sidecarGraceSeconds]:
      'How many seconds the other containers of a pod, such as a log shipper, may run after its main container and the job have ended. Then the ' +
      'pod is deleted. At least 1. Without it `--sidecar-grace-period` of the operator applies, 30 seconds by default.',
  },
};
