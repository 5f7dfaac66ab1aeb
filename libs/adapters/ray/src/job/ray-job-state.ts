/**
 * The state machine of a RayJob: one table, read from top to bottom; the first row of the job's state that holds decides.
 * A RayJob that can do nothing more ends: each state is left by a row of time, or waits for something that `waitsFor` names.
 *
 * Follows kuberay's rayjob_controller.go (v1.7), but for what docs/differences/rayjob.md says.
 */
import type { JobWarning } from '@muster/common-job-controller';
import { enteredRecord } from './entered-record.ts';
import { learnedRecord } from './learned-record.ts';
import { lostSubmitter } from './lost-submitter.ts';
import type { ObservedRayJob, View } from './observed-ray-job.ts';
import * as is from './ray-job-conditions.ts';
import { dueTimes } from './ray-job-deadlines.ts';
import type { JobDeploymentStatus, RayJobReason, RayJobRecord } from './ray-job-status.ts';
import { waitsFor } from './ray-job-waits.ts';

export interface RayJobStep {
  /** What goes on record. */
  readonly record: RayJobRecord;
  /** HTTPMode: the job is to be submitted under the id on record. */
  readonly submits: boolean;
  /** What has to happen before the job goes on, in words; undefined when it is over or has just come here. */
  readonly waitsFor?: string;
  /** When to look again if nothing happens. A change of state is written, so it is looked at anyway. */
  readonly recheckAfterMs?: number;
  /** What the author of a job that stays in its state has to know. */
  readonly warnings: readonly JobWarning[];
}

interface Row {
  readonly from: readonly JobDeploymentStatus[];
  /** The condition, in words. */
  readonly when: string;
  readonly holds: (view: View) => boolean;
  readonly to: JobDeploymentStatus;
  readonly reason?: RayJobReason;
  readonly message?: (view: View) => string;
}

const STARTED: readonly JobDeploymentStatus[] = ['Initializing', 'Waiting', 'Running'];

/** The state machine. */
export const RAY_JOB_STATES: readonly Row[] = [
  { from: [''], when: 'the job is new, or is tried again', holds: () => true, to: 'Initializing' },

  // Nobody is asked of a job that is invalid: one that comes here no longer is.
  { from: ['ValidationFailed'], when: 'the manifest is valid', holds: is.allDeleted, to: '' },
  {
    from: ['ValidationFailed'],
    when: 'the manifest is valid, and something is left of the time before',
    holds: () => true,
    to: 'Retrying',
    message: () => 'its manifest has been corrected',
  },

  { from: ['Running'], when: 'Ray says SUCCEEDED or STOPPED', holds: is.endedWell, to: 'Complete' },
  {
    from: ['Running'],
    when: 'Ray says FAILED',
    holds: is.endedBadly,
    to: 'Failed',
    reason: 'AppFailed',
    message: ({ known }) => known.message || `Ray job ${known.jobId} has failed`,
  },
  { from: STARTED, when: 'spec.suspend is true', holds: is.onceAsked(is.suspended), to: 'Suspending' },
  {
    from: STARTED,
    when: 'spec.activeDeadlineSeconds have passed',
    holds: is.onceAsked(is.pastActiveDeadline),
    to: 'Failed',
    reason: 'DeadlineExceeded',
    message: ({ spec, known }) =>
      `The job has not ended in ${spec.activeDeadlineSeconds} s (spec.activeDeadlineSeconds) since its start at ${known.startTime}`,
  },
  {
    from: ['Initializing', 'Waiting'],
    when: 'spec.preRunningDeadlineSeconds have passed',
    holds: is.pastPreRunningDeadline,
    to: 'Failed',
    reason: 'PreRunningDeadlineExceeded',
    message: (view) =>
      `The job does not run ${view.spec.preRunningDeadlineSeconds} s (spec.preRunningDeadlineSeconds) after its start: it waited for ${waitsFor(view)}`,
  },

  {
    from: ['Initializing'],
    when: 'SidecarMode: Ray knows the job, or its submitter has ended',
    holds: is.sidecarIsAhead,
    to: 'Running',
  },
  {
    from: ['Initializing'],
    when: 'InteractiveMode: the cluster is ready',
    holds: (view) => is.interactive(view) && is.clusterWasReady(view),
    to: 'Waiting',
  },
  { from: ['Initializing'], when: 'K8sJobMode: the submitter is made', holds: is.submitterMade, to: 'Running' },
  {
    from: ['Initializing'],
    when: 'HTTPMode, SidecarMode: the cluster is ready',
    holds: (view) => !is.submitterIsJob(view) && is.clusterWasReady(view),
    to: 'Running',
  },

  { from: ['Waiting'], when: 'spec.jobId is given', holds: is.jobIdGiven, to: 'Running' },

  {
    from: ['Running'],
    when: 'a queue has taken back the quota of the cluster',
    holds: is.whileOpen(is.clusterQueuedAgain),
    to: 'Retrying',
    message: ({ known }) => `a queue has taken back the quota of RayCluster ${known.rayClusterName}`,
  },
  {
    from: ['Running'],
    when: 'the cluster is gone',
    holds: is.whileOpen(is.clusterGone),
    to: 'Failed',
    reason: 'AppFailed',
    message: ({ known }) => `RayCluster ${known.rayClusterName} has been deleted while the job ran on it`,
  },
  {
    from: ['Running'],
    when: 'SidecarMode: the head pod is gone, and the submitter with it',
    holds: is.whileOpen(is.sidecarHeadLost),
    to: 'Failed',
    reason: 'AppFailed',
    message: (view) => `${lostHead(view)}, and the submitter with it`,
  },
  {
    from: ['Running'],
    when: 'the head pod is gone, and there is no GCS fault tolerance',
    holds: is.whileOpen(is.headLost),
    to: 'Failed',
    reason: 'AppFailed',
    message: (view) => `${lostHead(view)}, and the job with it: ${TOLERATE}`,
  },
  {
    from: ['Running'],
    when: 'Ray no longer knows the job, and there is no GCS fault tolerance',
    holds: is.whileOpen(is.forgotten),
    to: 'Failed',
    reason: 'AppFailed',
    message: ({ known }) => `Ray no longer knows job ${known.jobId}, because its head was restarted: ${TOLERATE}`,
  },
  {
    from: ['Running'],
    when: "with GCS fault tolerance: the node of the job's driver is gone",
    holds: is.whileOpen(is.driverLost),
    to: 'Failed',
    reason: 'AppFailed',
    message: ({ known }) =>
      `The node on which the entrypoint of Ray job ${known.jobId} ran is gone, and the entrypoint with it. It runs on the head unless ` +
      'spec.entrypointNumCpus, entrypointNumGpus or entrypointResources ask for what only a worker has',
  },
  {
    from: ['Running'],
    when: 'the submitter has failed, and Ray does not know the job',
    holds: is.whileOpen(is.submitterFailed),
    to: 'Failed',
    reason: 'SubmissionFailed',
    message: ({ submitter }) => `The submitter has failed: ${submitter?.end?.message}. Its log says why`,
  },
  {
    from: ['Running'],
    when: 'the submitter has ended, and Ray does not know the job',
    holds: is.whileOpen(is.submittedNothing),
    to: 'Failed',
    reason: 'AppFailed',
    message: ({ known }) =>
      `The submitter has ended, but Ray knows no job ${known.jobId}. The submitter's log says why`,
  },
  {
    from: ['Running'],
    when: 'the submitter has ended, and Ray, which has never confirmed the submission, has not answered for 30 s since',
    holds: is.whileOpen(is.submitterLeft),
    to: 'Failed',
    reason: 'JobDeploymentStatusTransitionGracePeriodExceeded',
    message: ({ answer, known }) =>
      `The submitter has ended, but 30 s later Ray has not confirmed job ${known.jobId}: ${problemOf(answer)}`,
  },
  {
    from: ['Running'],
    when: 'K8sJobMode: the submitter is gone, and Ray does not know the job',
    holds: is.whileOpen(is.submitterGone),
    to: 'Failed',
    reason: 'SubmissionFailed',
    message: ({ name, known }) => `Job ${name}, the submitter, has been deleted, and Ray knows no job ${known.jobId}`,
  },
  {
    from: ['Running'],
    when: 'HTTPMode: the dashboard refuses the job',
    holds: is.whileOpen(is.submissionRefused),
    to: 'Failed',
    reason: 'SubmissionFailed',
    message: ({ submission }) => (submission?.kind === 'Refused' ? submission.problem : ''),
  },
  {
    from: ['Running'],
    when: 'HTTPMode: the job could not be submitted for too long',
    holds: is.whileOpen(is.neverSubmitted),
    to: 'Failed',
    reason: 'SubmissionFailed',
    message: ({ submission, known }) =>
      `The job could not be submitted since ${known.jobStatusCheckFailureStartTime}: ${problemOf(submission)}`,
  },
  {
    from: ['Running'],
    when: 'the dashboard has said nothing of the job for too long',
    holds: is.whileOpen(is.statusCheckTimedOut),
    to: 'Failed',
    reason: 'JobStatusCheckTimeoutExceeded',
    message: ({ answer, known }) =>
      `The dashboard, ${known.dashboardURL}, has said nothing of the job since ${known.jobStatusCheckFailureStartTime}: ${problemOf(answer)}`,
  },

  // Atomic: what was begun is ended, whatever spec.suspend says meanwhile.
  { from: ['Suspending'], when: 'cluster and submitter are gone', holds: is.allDeleted, to: 'Suspended' },
  { from: ['Retrying'], when: 'cluster and submitter are gone', holds: is.allDeleted, to: '' },
  { from: ['Suspended'], when: 'spec.suspend is false', holds: is.notSuspended, to: '' },
];

const TOLERATE = 'without GCS fault tolerance (spec.gcsFaultToleranceOptions) Ray keeps no jobs over that';

function lostHead({ record }: View): string {
  return `The head pod ${record.rayClusterStatus?.head?.podName} is gone`;
}

function problemOf(answer: View['answer'] | View['submission']): string {
  if (answer === undefined) return 'it was not asked';
  return 'problem' in answer ? answer.problem : 'it knows no such job';
}

/**
 * The next step of a job, from everything that is known of it. A step does one transition at most. The same observation gives the
 * same step, so one whose record was not written is taken again.
 */
export function nextState(observed: ObservedRayJob): RayJobStep {
  const known = { ...learnedRecord(observed), ...observedGeneration(observed) };
  const view: View = { ...observed, known };
  const row = RAY_JOB_STATES.find(({ from, holds }) => from.includes(known.jobDeploymentStatus) && holds(view));
  if (row === undefined)
    return { record: known, submits: submits(view), warnings: lostSubmitter(view), ...pending(view) };
  const { to, reason, message } = row;
  return { record: enteredRecord(view, { to, reason, message: message?.(view) }), submits: false, warnings: [] };
}

function observedGeneration({ generation }: ObservedRayJob): Pick<RayJobRecord, 'observedGeneration'> {
  return generation === undefined ? {} : { observedGeneration: generation };
}

function submits({ spec, known, answer }: View): boolean {
  const isSubmitter = known.jobDeploymentStatus === 'Running' && spec.submissionMode === 'HTTPMode';
  return isSubmitter && known.jobStatus === '' && answer?.kind === 'NotFound';
}

function pending(view: View): Pick<RayJobStep, 'waitsFor' | 'recheckAfterMs'> {
  const words = waitsFor(view);
  const dues = dueTimes(view).filter((dueMs) => dueMs > view.nowMs);
  return {
    ...(words !== undefined && { waitsFor: words }),
    ...(dues.length > 0 && { recheckAfterMs: Math.min(...dues) - view.nowMs }),
  };
}
