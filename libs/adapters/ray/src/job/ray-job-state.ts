/**
 * The state machine of a RayJob: what follows from each state, and the transitions to the next. A job stays in its
 * state until a due time, or until the event in `waitsFor`. Follows kuberay's rayjob_controller.go (v1.7) with the
 * exceptions in docs/administrators/differences/rayjob.md.
 */
import type { JobWarning, Outcome } from '@muster/common-job-controller';
import type { RayJob } from '@muster/job-api';
import { enteredRecord, failedAttempt } from './transition-record.ts';
import { learnedRecord } from './observed-record.ts';
import { lostSubmitter } from './lost-submitter.ts';
import type { ObservedRayJob, View } from './observed-ray-job.ts';
import * as is from './ray-job-conditions.ts';
import { dueTimes } from './ray-job-deadlines.ts';
import type { JobDeploymentStatus, RayJobReason, RayJobRecord } from './ray-job-status.ts';
import { waitsFor } from './ray-job-waits.ts';

/** `Make`: created if missing. `Keep`: kept if it exists. `Delete`: deleted. */
export type ObjectAction = 'Make' | 'Keep' | 'Delete';

interface State {
  /** The engine's phase. */
  readonly phase: Outcome['phase'];
  readonly cluster: ObjectAction;
  /** The Job of K8sJobMode. */
  readonly submitter: ObjectAction;
}

/** A kept cluster or submitter is not recreated after a deletion: the job fails, or has ended. */
export const RAY_JOB_STATES: Readonly<Record<JobDeploymentStatus, State>> = {
  '': { phase: 'Pending', cluster: 'Delete', submitter: 'Delete' },
  // The submitter is created once the dashboard has an address, neither of both while spec.suspend is true
  // (`keptObjects`).
  Initializing: { phase: 'Pending', cluster: 'Make', submitter: 'Make' },
  Waiting: { phase: 'Pending', cluster: 'Make', submitter: 'Keep' },
  Running: { phase: 'Running', cluster: 'Keep', submitter: 'Keep' },
  Retrying: { phase: 'Restarting', cluster: 'Delete', submitter: 'Delete' },
  Suspending: { phase: 'Pending', cluster: 'Delete', submitter: 'Delete' },
  Suspended: { phase: 'Pending', cluster: 'Delete', submitter: 'Delete' },
  ValidationFailed: { phase: 'Pending', cluster: 'Keep', submitter: 'Keep' },
  // Until the rules of deletion apply (`afterTheEnd`).
  Complete: { phase: 'Succeeded', cluster: 'Keep', submitter: 'Keep' },
  Failed: { phase: 'Failed', cluster: 'Keep', submitter: 'Keep' },
};

/** `AttemptFailed` is left in the same step, so it is never recorded. */
type Place = JobDeploymentStatus | 'AttemptFailed';

interface Transition {
  readonly from: readonly Place[];
  /** `holds` as text. */
  readonly when: string;
  readonly holds: (view: View) => boolean;
  readonly to: Place;
  readonly reason?: RayJobReason;
  readonly message?: (view: View) => string;
}

const STARTED: readonly Place[] = ['Initializing', 'Waiting', 'Running'];

/** In order: the first matching transition from the job's state applies. */
export const RAY_JOB_TRANSITIONS: readonly Transition[] = [
  { from: [''], when: 'the job is new, or is tried again', holds: () => true, to: 'Initializing' },

  // Only jobs with a valid manifest are evaluated.
  { from: ['ValidationFailed'], when: 'the manifest is valid', holds: is.allDeleted, to: '' },
  {
    from: ['ValidationFailed'],
    when: 'the manifest is valid, and objects from before are left',
    holds: () => true,
    to: 'Retrying',
    message: () => 'its manifest has been corrected',
  },

  { from: ['Running'], when: 'Ray reports SUCCEEDED or STOPPED', holds: is.endedWell, to: 'Complete' },
  {
    from: ['Running'],
    when: 'Ray reports FAILED',
    holds: is.endedBadly,
    to: 'AttemptFailed',
    reason: 'AppFailed',
    message: ({ known }) => known.message || `Ray job ${known.jobId} has failed`,
  },
  { from: STARTED, when: 'spec.suspend is true', holds: is.afterFirstAnswer(is.suspended), to: 'Suspending' },
  {
    from: STARTED,
    when: 'spec.activeDeadlineSeconds have passed',
    holds: is.afterFirstAnswer(is.pastActiveDeadline),
    to: 'Failed',
    reason: 'DeadlineExceeded',
    message: ({ spec, known }) =>
      `The job has not ended in ${spec.activeDeadlineSeconds} s (spec.activeDeadlineSeconds) since its start at ${known.startTime}`,
  },
  {
    from: ['Initializing', 'Waiting'],
    when: 'spec.preRunningDeadlineSeconds have passed',
    holds: is.pastPreRunningDeadline,
    to: 'AttemptFailed',
    reason: 'PreRunningDeadlineExceeded',
    message: (view) =>
      `The job does not run ${view.spec.preRunningDeadlineSeconds} s (spec.preRunningDeadlineSeconds) after its start: it waited for ${waitsFor(view)}`,
  },

  {
    from: ['Initializing'],
    when: 'SidecarMode: Ray has the job, or its submitter has ended',
    holds: is.sidecarIsAhead,
    to: 'Running',
  },
  {
    from: ['Initializing'],
    when: 'InteractiveMode: the cluster is ready',
    holds: (view) => is.interactive(view) && is.clusterWasReady(view),
    to: 'Waiting',
  },
  { from: ['Initializing'], when: 'K8sJobMode: the submitter exists', holds: is.submitterMade, to: 'Running' },
  {
    from: ['Initializing'],
    when: 'HTTPMode, SidecarMode: the cluster is ready',
    holds: (view) => !is.submitterIsJob(view) && is.clusterWasReady(view),
    to: 'Running',
  },

  { from: ['Waiting'], when: 'spec.jobId is given', holds: is.jobIdGiven, to: 'Running' },

  // Below this row Ray has not reported an end.
  {
    from: ['Running'],
    when: 'Ray has reported the end, and the submitter still writes the log',
    holds: is.endReported,
    to: 'Running',
  },
  {
    from: ['Running'],
    when: 'a queue has taken back the quota of the cluster',
    holds: is.clusterQueuedAgain,
    to: 'Retrying',
    message: ({ known }) => `a queue has taken back the quota of RayCluster ${known.rayClusterName}`,
  },
  {
    from: ['Running'],
    when: 'the cluster is gone',
    holds: is.clusterGone,
    to: 'AttemptFailed',
    reason: 'AppFailed',
    message: ({ known }) => `RayCluster ${known.rayClusterName} has been deleted while the job ran on it`,
  },
  {
    from: ['Running'],
    when: 'SidecarMode: the head pod is gone, and the submitter with it',
    holds: is.sidecarHeadLost,
    to: 'AttemptFailed',
    reason: 'AppFailed',
    message: (view) => `${lostHead(view)}, and the submitter with it`,
  },
  {
    from: ['Running'],
    when: 'the head pod is gone, and there is no GCS fault tolerance',
    holds: is.headLost,
    to: 'AttemptFailed',
    reason: 'AppFailed',
    message: (view) => `${lostHead(view)}, and the job with it: ${TOLERATE}`,
  },
  {
    from: ['Running'],
    when: 'Ray no longer has the job, and there is no GCS fault tolerance',
    holds: is.forgotten,
    to: 'AttemptFailed',
    reason: 'AppFailed',
    message: ({ known }) => `Ray no longer has job ${known.jobId}, because its head was restarted: ${TOLERATE}`,
  },
  {
    from: ['Running'],
    when: "with GCS fault tolerance: the node of the job's driver is gone",
    holds: is.driverLost,
    to: 'AttemptFailed',
    reason: 'AppFailed',
    message: ({ known }) =>
      `The node on which the entrypoint of Ray job ${known.jobId} ran is gone, and the entrypoint with it. It runs on the head unless ` +
      'spec.entrypointNumCpus, entrypointNumGpus or entrypointResources request what only a worker has',
  },
  {
    from: ['Running'],
    when: 'the submitter has failed, and Ray does not have the job',
    holds: is.submitterFailed,
    to: 'AttemptFailed',
    reason: 'SubmissionFailed',
    message: ({ submitter }) => `The submitter has failed: ${submitter?.end?.message}. See its log`,
  },
  {
    from: ['Running'],
    when: 'the submitter has ended, and Ray does not have the job',
    holds: is.submittedNothing,
    to: 'AttemptFailed',
    reason: 'AppFailed',
    message: ({ known }) => `The submitter has ended, but Ray has no job ${known.jobId}. See the submitter's log`,
  },
  {
    from: ['Running'],
    when: 'the submitter has ended, and Ray, which has never confirmed the submission, has not answered for 30 s since',
    holds: is.submitterLeft,
    to: 'AttemptFailed',
    reason: 'JobDeploymentStatusTransitionGracePeriodExceeded',
    message: ({ answer, known }) =>
      `The submitter has ended, but 30 s later Ray has not confirmed job ${known.jobId}: ${problemOf(answer)}`,
  },
  {
    from: ['Running'],
    when: 'K8sJobMode: the submitter is gone, and Ray does not have the job',
    holds: is.submitterGone,
    to: 'AttemptFailed',
    reason: 'SubmissionFailed',
    message: ({ name, known }) => `Job ${name}, the submitter, has been deleted, and Ray has no job ${known.jobId}`,
  },
  {
    from: ['Running'],
    when: 'HTTPMode: the dashboard refuses the job',
    holds: is.submissionRefused,
    to: 'AttemptFailed',
    reason: 'SubmissionFailed',
    message: ({ submission }) => (submission?.kind === 'Refused' ? submission.problem : ''),
  },
  {
    from: ['Running'],
    when: 'HTTPMode: the job could not be submitted for too long',
    holds: is.neverSubmitted,
    to: 'AttemptFailed',
    reason: 'SubmissionFailed',
    message: ({ submission, known }) =>
      `The job could not be submitted since ${known.jobStatusCheckFailureStartTime}: ${problemOf(submission)}`,
  },
  {
    from: ['Running'],
    when: 'the dashboard has not reported the status of the job for too long',
    holds: is.statusCheckTimedOut,
    to: 'Failed',
    reason: 'JobStatusCheckTimeoutExceeded',
    message: ({ answer, known }) =>
      `The dashboard, ${known.dashboardURL}, has not reported the job since ${known.jobStatusCheckFailureStartTime}: ${problemOf(answer)}`,
  },

  { from: ['AttemptFailed'], when: 'spec.backoffLimit allows another attempt', holds: is.retryLeft, to: 'Retrying' },
  { from: ['AttemptFailed'], when: 'spec.backoffLimit is reached', holds: () => true, to: 'Failed' },

  // These finish what has begun, also if spec.suspend has changed meanwhile.
  { from: ['Suspending'], when: 'cluster and submitter are gone', holds: is.allDeleted, to: 'Suspended' },
  { from: ['Retrying'], when: 'cluster and submitter are gone', holds: is.allDeleted, to: '' },
  { from: ['Suspended'], when: 'spec.suspend is false', holds: is.notSuspended, to: '' },
];

const TOLERATE = 'without GCS fault tolerance (spec.gcsFaultToleranceOptions) Ray loses its jobs with the head';

function lostHead({ record }: View): string {
  return `The head pod ${record.rayClusterStatus?.head?.podName} is gone`;
}

function problemOf(answer: View['answer'] | View['submission']): string {
  if (answer === undefined) return 'it got no request';
  return 'problem' in answer ? answer.problem : 'it has no such job';
}

interface RayJobStep {
  /** The next record. */
  readonly record: RayJobRecord;
  /** HTTPMode: the operator submits the job under the recorded id. */
  readonly submits: boolean;
  /** Undefined if the job has ended or changed its state. */
  readonly waitsFor?: string;
  /** When the step may differ without an event. A changed state is written, which triggers another reconcile run. */
  readonly recheckAfterMs?: number;
  readonly warnings: readonly JobWarning[];
}

export interface EvaluatedRayJob {
  readonly manifest: RayJob;
  readonly observed: ObservedRayJob;
  readonly step: RayJobStep;
}

/** At most one change of state. The same observation gives the same step, so a failed write is repeated. */
export function nextState(observed: ObservedRayJob): RayJobStep {
  const known = { ...learnedRecord(observed), ...observedGeneration(observed) };
  const view: View = { ...observed, known };
  const transition = transitionFrom(known.jobDeploymentStatus, view);
  if (transition === undefined || transition.to === known.jobDeploymentStatus)
    return { record: known, submits: submits(view), warnings: lostSubmitter(view), ...pending(view) };
  return { record: recordAfter(view, transition), submits: false, warnings: [] };
}

export function transitionFrom(place: Place, view: View): Transition | undefined {
  return RAY_JOB_TRANSITIONS.find(({ from, holds }) => from.includes(place) && holds(view));
}

function recordAfter(view: View, { to, reason, message }: Transition): RayJobRecord {
  const text = message?.(view);
  const known = reason === undefined ? view.known : failedAttempt(view.known, reason, text);
  const after: View = { ...view, known };
  return to === 'AttemptFailed' ? recordAfter(after, transitionFrom(to, after)!) : enteredRecord(after, to, text);
}

function observedGeneration({ generation }: ObservedRayJob): Pick<RayJobRecord, 'observedGeneration'> {
  return generation === undefined ? {} : { observedGeneration: generation };
}

function submits({ spec, known, answer }: View): boolean {
  const isSubmitter = known.jobDeploymentStatus === 'Running' && spec.submissionMode === 'HTTPMode';
  return isSubmitter && known.jobStatus === '' && answer?.kind === 'NotFound';
}

function pending(view: View): Pick<RayJobStep, 'waitsFor' | 'recheckAfterMs'> {
  const text = waitsFor(view);
  const dues = dueTimes(view).filter((dueMs) => dueMs > view.nowMs);
  return {
    ...(text !== undefined && { waitsFor: text }),
    ...(dues.length > 0 && { recheckAfterMs: Math.min(...dues) - view.nowMs }),
  };
}
