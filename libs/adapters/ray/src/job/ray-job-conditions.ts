/** The conditions by which a RayJob goes from one state to another. Pure predicates; `ray-job-state.ts` gives them their order. */
import { hasFaultTolerance } from './fault-tolerant-cluster.ts';
import { isQueued } from './cluster-queue.ts';
import { isReady } from './learned-record.ts';
import type { View } from './observed-ray-job.ts';
import {
  activeDeadlineMs,
  logsDueMs,
  preRunningDeadlineMs,
  statusCheckDueMs,
  SUBMITTER_GRACE_MS,
} from './ray-job-deadlines.ts';
import { hasRayJobEnded } from './ray-job-status.ts';

/** An operator that has just come asks so often before it believes that a dashboard is silent. */
const LEAST_FAILURES = 3;

export const suspended = ({ spec }: View) => spec.suspend === true;

export const notSuspended = (view: View) => !suspended(view);

function isPast(view: View, dueMs: number | undefined): boolean {
  return dueMs !== undefined && view.nowMs >= dueMs;
}

export const pastActiveDeadline = (view: View) => isPast(view, activeDeadlineMs(view));

export const pastPreRunningDeadline = (view: View) => isPast(view, preRunningDeadlineMs(view));

/**
 * For what stops a job: not before the dashboard has been asked once, or has not answered. An operator that starts knows nothing
 * of a job that ended while none was there.
 */
export const onceAsked = (holds: (view: View) => boolean) => (view: View) => !isFirstAnswerDue(view) && holds(view);

function isFirstAnswerDue({ record, cluster, answer }: View): boolean {
  const isAsked = record.jobDeploymentStatus === 'Running' && !hasRayJobEnded(record.jobStatus);
  return isAsked && answer === undefined && (cluster?.status?.head?.serviceName ?? '') !== '';
}

/** Once its cluster was ready, it does not matter what becomes of that before the job is submitted. */
export const clusterWasReady = ({ cluster, known }: View) =>
  cluster !== undefined && known.dashboardURL !== undefined && (isReady(cluster) || known.jobStatus !== '');

export const interactive = ({ spec }: View) => spec.submissionMode === 'InteractiveMode';

const sidecar = ({ spec }: View) => spec.submissionMode === 'SidecarMode';

export const submitterIsJob = ({ spec }: View) => (spec.submissionMode ?? 'K8sJobMode') === 'K8sJobMode';

export const submitterMade = (view: View) =>
  submitterIsJob(view) && !clusterGone(view) && view.known.dashboardURL !== undefined && view.submitter !== undefined;

/** A head whose submitter has ended is not ready, so a cluster whose job is short may never become so. */
export const sidecarIsAhead = (view: View) =>
  sidecar(view) && (view.known.jobStatus !== '' || view.submitter?.end !== undefined);

export const jobIdGiven = ({ spec }: View) => spec.jobId !== undefined && spec.jobId !== '';

/**
 * Ray's job has ended, and its log has been written: the submitter, which follows it, has ended too. It is not waited for when
 * the job is to stop, nor for long.
 */
function ended(view: View): boolean {
  const { known, submitter } = view;
  if (!hasRayJobEnded(known.jobStatus)) return false;
  const isLogWritten = submitter === undefined || submitter.end !== undefined || isPast(view, logsDueMs(view));
  return isLogWritten || suspended(view) || pastActiveDeadline(view);
}

export const endedWell = (view: View) => ended(view) && view.known.jobStatus !== 'FAILED';

export const endedBadly = (view: View) => ended(view) && view.known.jobStatus === 'FAILED';

/** Ray has not said how the job ended: once it has, nothing that befalls the cluster matters. */
export const whileOpen = (holds: (view: View) => boolean) => (view: View) =>
  !hasRayJobEnded(view.known.jobStatus) && holds(view);

export const clusterGone = ({ cluster }: View) => cluster === undefined;

/** Its pods go, and come back when it is admitted again; what ran on them does not. */
export const clusterQueuedAgain = ({ cluster }: View) => isQueued(cluster);

/** Ray has said something of the job once, so it has been submitted. */
const wasSeen = ({ record }: View) => record.jobStatus !== '';

/** The head pod by which the job was submitted is not the present one. A status without `head` says nothing of it. */
function isHeadAnother({ record, cluster }: View): boolean {
  const { podName: remembered = '' } = record.rayClusterStatus?.head ?? {};
  const head = cluster?.status?.head;
  return remembered !== '' && head !== undefined && (head.podName ?? '') !== remembered;
}

/** With its submitter, whatever the GCS remembers. */
export const sidecarHeadLost = (view: View) => sidecar(view) && isHeadAnother(view);

export const headLost = (view: View) => wasSeen(view) && !hasFaultTolerance(view.cluster) && isHeadAnother(view);

/** Also when the head's container was restarted in place. An answer from before the submission says nothing. */
export function forgotten(view: View): boolean {
  const { answer, submission } = view;
  if (answer?.kind !== 'NotFound' || !wasSeen(view) || hasFaultTolerance(view.cluster)) return false;
  return submission?.kind !== 'Accepted' || answer.ageMs < submission.ageMs;
}

/** Fault tolerance brings the head back, and not what ran on it. Ray itself does not see that. */
export const driverLost = ({ answer, isDriverNodeDead }: View) => answer?.kind === 'Job' && isDriverNodeDead;

/**
 * Whether nothing shows that Ray has the job: it answers that it does not, or has never confirmed the submission. Of a job that
 * Ray has, the end of the submitter is not the end: only its log is cut short.
 */
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

/** Ray has answered after the submitter ended (see `ObservedRayJob.answer`), or has not for too long, or cannot be asked for as long. */
function isResultOut({ answer, submitter, unaskableMs = 0 }: View): boolean {
  if (submitter?.end === undefined) return false;
  if (answer === undefined) return unaskableMs >= SUBMITTER_GRACE_MS;
  return answer.kind !== 'Silent' || answer.askedForMs >= SUBMITTER_GRACE_MS;
}

/** Deleted before it has submitted the job: a job runs only once it has a submitter. */
export const submitterGone = (view: View) =>
  submitterIsJob(view) && view.submitter === undefined && view.answer?.kind === 'NotFound' && !wasSeen(view);

export const submissionRefused = ({ submission, known }: View) =>
  submission?.kind === 'Refused' && known.jobStatus === '';

/** For too long, and by the newest answer as well. */
export function statusCheckTimedOut(view: View): boolean {
  const { answer } = view;
  if (answer === undefined || (answer.kind === 'Silent' && answer.failures < LEAST_FAILURES)) return false;
  return isPast(view, statusCheckDueMs(view));
}

export const neverSubmitted = (view: View) =>
  statusCheckTimedOut(view) && view.spec.submissionMode === 'HTTPMode' && view.known.jobStatus === '';

/** A cluster that the job only borrows stays. */
export const allDeleted = ({ cluster, submitter, spec }: View) =>
  submitter === undefined && (cluster === undefined || spec.clusterSelector !== undefined);
