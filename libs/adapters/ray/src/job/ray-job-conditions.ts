/** The predicates of the transitions in `ray-job-state.ts`, whose order matters. */
import { hasFaultTolerance } from './fault-tolerant-cluster.ts';
import { isQueued } from './cluster-queue.ts';
import { isReady } from './observed-record.ts';
import type { View } from './observed-ray-job.ts';
import {
  activeDeadlineMs,
  logsDueMs,
  preRunningDeadlineMs,
  statusCheckDueMs,
  SUBMITTER_GRACE_MS,
} from './ray-job-deadlines.ts';
import { hasRayJobEnded } from './ray-job-status.ts';

/** After a restart of the operator, that many failed requests before the dashboard counts as silent. */
const LEAST_FAILURES = 3;

export const suspended = ({ spec }: View) => spec.suspend === true;

export const notSuspended = (view: View) => !suspended(view);

function isPast(view: View, dueMs: number | undefined): boolean {
  return dueMs !== undefined && view.nowMs >= dueMs;
}

export const pastActiveDeadline = (view: View) => isPast(view, activeDeadlineMs(view));

export const pastPreRunningDeadline = (view: View) => isPast(view, preRunningDeadlineMs(view));

/** The job may have ended while no operator ran, so the first request has to be answered or fail before a stop. */
export const afterFirstAnswer = (holds: (view: View) => boolean) => (view: View) =>
  !isFirstAnswerDue(view) && holds(view);

function isFirstAnswerDue({ record, cluster, answer }: View): boolean {
  const isAsked = record.jobDeploymentStatus === 'Running' && !hasRayJobEnded(record.jobStatus);
  return isAsked && answer === undefined && (cluster?.status?.head?.serviceName ?? '') !== '';
}

/** A cluster that fails after the submission counts as ready. */
export const clusterWasReady = ({ cluster, known }: View) =>
  cluster !== undefined && known.dashboardURL !== undefined && (isReady(cluster) || known.jobStatus !== '');

export const interactive = ({ spec }: View) => spec.submissionMode === 'InteractiveMode';

const sidecar = ({ spec }: View) => spec.submissionMode === 'SidecarMode';

export const submitterIsJob = ({ spec }: Pick<View, 'spec'>) => (spec.submissionMode ?? 'K8sJobMode') === 'K8sJobMode';

export const submitterMade = (view: View) =>
  submitterIsJob(view) && !clusterGone(view) && view.known.dashboardURL !== undefined && view.submitter !== undefined;

/** The head is not ready after its submitter has ended, so the cluster of a short job may never be ready. */
export const sidecarIsAhead = (view: View) =>
  sidecar(view) && (view.known.jobStatus !== '' || view.submitter?.end !== undefined);

export const jobIdGiven = ({ spec }: View) => spec.jobId !== undefined && spec.jobId !== '';

export const endReported = ({ known }: View) => hasRayJobEnded(known.jobStatus);

/** The submitter, which writes the log, has ended as well, or its time is over, or the job has to stop. */
function ended(view: View): boolean {
  const { submitter } = view;
  if (!endReported(view)) return false;
  const isLogWritten = submitter === undefined || submitter.end !== undefined || isPast(view, logsDueMs(view));
  return isLogWritten || suspended(view) || pastActiveDeadline(view);
}

export const endedWell = (view: View) => ended(view) && view.known.jobStatus !== 'FAILED';

export const endedBadly = (view: View) => ended(view) && view.known.jobStatus === 'FAILED';

export const clusterGone = ({ cluster }: View) => cluster === undefined;

/** Its pods are deleted. They are created again after the next admission, without the job. */
export const clusterQueuedAgain = ({ cluster }: View) => isQueued(cluster);

/** Ray has reported a status of the job, so it has been submitted. */
const wasSeen = ({ record }: View) => record.jobStatus !== '';

/** Another head pod has replaced the one of the submission. False for a status without `head`. */
function isHeadAnother({ record, cluster }: View): boolean {
  const { podName: remembered = '' } = record.rayClusterStatus?.head ?? {};
  const head = cluster?.status?.head;
  return remembered !== '' && head !== undefined && (head.podName ?? '') !== remembered;
}

export const sidecarHeadLost = (view: View) => sidecar(view) && isHeadAnother(view);

export const headLost = (view: View) => wasSeen(view) && !hasFaultTolerance(view.cluster) && isHeadAnother(view);

/** Also after a restart of the head's container. An answer from before the submission does not count. */
export function forgotten(view: View): boolean {
  const { answer, submission } = view;
  if (answer?.kind !== 'NotFound' || !wasSeen(view) || hasFaultTolerance(view.cluster)) return false;
  return submission?.kind !== 'Accepted' || answer.ageMs < submission.ageMs;
}

/** Fault tolerance restores the head, but not the driver on it, and Ray still reports RUNNING. */
export const driverLost = ({ answer, isDriverNodeDead }: View) => answer?.kind === 'Job' && isDriverNodeDead;

/** Ray does not have the job, or never confirmed it. A job that Ray has continues without its submitter. */
function isUnknownToRay(view: View): boolean {
  const { answer } = view;
  return answer?.kind === 'NotFound' || (answer?.kind !== 'Job' && !wasSeen(view));
}

export const submitterFailed = (view: View) =>
  view.submitter?.end?.hasFailed === true && isUnknownToRay(view) && isResultOut(view);

export const submittedNothing = (view: View) =>
  view.submitter?.end?.hasFailed === false && view.answer?.kind === 'NotFound' && isResultOut(view);

export const submitterLeft = (view: View) =>
  view.submitter?.end?.hasFailed === false && isUnknownToRay(view) && isResultOut(view);

/** Ray has answered after the end of the submitter, or has been silent or unreachable for too long since. */
function isResultOut({ answer, submitter, unaskableMs = 0 }: View): boolean {
  if (submitter?.end === undefined) return false;
  if (answer === undefined) return unaskableMs >= SUBMITTER_GRACE_MS;
  return answer.kind !== 'Silent' || answer.askedForMs >= SUBMITTER_GRACE_MS;
}

export const submitterGone = (view: View) =>
  submitterIsJob(view) && view.submitter === undefined && view.answer?.kind === 'NotFound' && !wasSeen(view);

export const submissionRefused = ({ submission, known }: View) =>
  submission?.kind === 'Refused' && known.jobStatus === '';

/** Only if the latest request has failed as well. */
export function statusCheckTimedOut(view: View): boolean {
  const { answer } = view;
  if (answer === undefined || (answer.kind === 'Silent' && answer.failures < LEAST_FAILURES)) return false;
  return isPast(view, statusCheckDueMs(view));
}

export const neverSubmitted = (view: View) =>
  statusCheckTimedOut(view) && view.spec.submissionMode === 'HTTPMode' && view.known.jobStatus === '';

/** For a failed attempt, which is counted already. */
export const retryLeft = ({ known, spec }: View) => (known.failed ?? 0) <= (spec.backoffLimit ?? 0);

/** A cluster of `spec.clusterSelector` is not deleted. */
export const allDeleted = ({ cluster, submitter, spec }: View) =>
  submitter === undefined && (cluster === undefined || spec.clusterSelector !== undefined);
