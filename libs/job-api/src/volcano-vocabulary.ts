/** Conditions, reasons, labels and annotations of a Volcano Job, for the reference page. */
import { ANNOTATION_MEANINGS, ANNOTATIONS } from './annotations.ts';
import type { KindVocabulary } from './kind-definition.ts';

export const VOLCANO_JOB_VOCABULARY: KindVocabulary = {
  conditions: {
    Pending: 'Fewer pods run, or have ended, than the job needs.',
    Running: 'As many pods run, or have ended, as the job needs.',
    Restarting: 'Pods are recreated because of a policy.',
    Aborting: 'Being aborted: some pods still run.',
    Aborted: 'Stopped by a Command until another one resumes the job, or ended by a policy.',
    Completing: 'Being completed: some pods still run.',
    Completed: 'Succeeded: by a policy, by a Command, or because enough pods have succeeded.',
    Terminating: 'Being terminated: some pods still run.',
    Terminated: 'Ended by a policy or a Command.',
    Failed: 'Too few pods have succeeded, or the job was restarted as often as `maxRetry` allows.',
  },
  reasons: {
    JobCreated: 'When the operator has started to manage the job.',
    JobRunning: 'With Running.',
    JobRestarting: 'With Restarting; the message names the pod and how it ended.',
    JobSuspended: 'With Aborted, by a Command.',
    JobResumed: 'When a Command has resumed the job.',
    JobSucceeded: 'With Completed.',
    JobFailed: 'With Failed.',
    JobAborted: 'With Aborted, by a policy.',
    JobTerminated: 'With Terminated.',
    InvalidSpec: 'With Failed; the message has the path of each invalid field.',
  },
  labels: {
    'volcano.sh/job-name': 'Name of the job.',
    'volcano.sh/job-namespace': 'Namespace of the job.',
    'volcano.sh/task-spec': 'Name of the task.',
    'volcano.sh/task-index': 'Index of the pod in the task.',
    'volcano.sh/queue-name': 'Name of the queue.',
  },
  annotations: {
    [ANNOTATIONS.gangScheduler]: ANNOTATION_MEANINGS.gangScheduler,
    [ANNOTATIONS.gangTopology]: ANNOTATION_MEANINGS.gangTopology,
    [ANNOTATIONS.sidecarGraceSeconds]:
      'Seconds that the other containers of a pod, such as a log shipper, may run after its main container and ' +
      'the job have ended. Then the pod is deleted. At least 1. Default: `--sidecar-grace-period` of the ' +
      'operator, which is 30 seconds unless set.',
  },
};
