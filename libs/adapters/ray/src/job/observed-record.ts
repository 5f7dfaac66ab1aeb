/** Updates a job's record with observations of the cluster and the dashboard. */
import type { RayClusterStatus } from '@muster/job-api';
import { admittedTime } from './cluster-queue.ts';
import { dashboardAddress } from './dashboard-address.ts';
import type { ObservedRayJob } from './observed-ray-job.ts';
import { hasRayJobEnded, type JobDeploymentStatus, type RayJobRecord } from './ray-job-status.ts';
import { timeOf } from '../model/time-of.ts';

/** The states in which the cluster is observed. */
const LEARNING: readonly JobDeploymentStatus[] = ['Initializing', 'Waiting', 'Running'];

export function learnedRecord(observed: ObservedRayJob): RayJobRecord {
  const { record } = observed;
  if (isStoppedAfterEnd(observed)) return { ...record, jobStatus: 'STOPPED' };
  if (!LEARNING.includes(record.jobDeploymentStatus)) return record;
  return withJob(withCluster(record, observed), observed);
}

function isStoppedAfterEnd({ record, stop }: ObservedRayJob): boolean {
  return record.jobDeploymentStatus === 'Failed' && !hasRayJobEnded(record.jobStatus) && stop?.kind === 'Stopped';
}

function withCluster(record: RayJobRecord, observed: ObservedRayJob): RayJobRecord {
  const status = observed.cluster?.status;
  if (observed.cluster === undefined || status === undefined) return record;
  const dashboardURL = record.dashboardURL ?? (isReachable(observed) ? dashboardAddress(observed) : undefined);
  return {
    ...record,
    ...startTimeOf(record, observed.cluster),
    rayClusterStatus: withHeadOf(status, record),
    ...(dashboardURL !== undefined && { dashboardURL }),
  };
}

/** The deadlines of a job whose cluster was queued count from the admission of the cluster. */
function startTimeOf(
  { jobDeploymentStatus, startTime }: RayJobRecord,
  cluster: ObservedRayJob['cluster'],
): Pick<RayJobRecord, 'startTime'> {
  const admitted = jobDeploymentStatus === 'Running' ? undefined : admittedTime(cluster);
  const isLater = admitted !== undefined && startTime !== undefined && Date.parse(admitted) > Date.parse(startTime);
  return isLater ? { startTime: admitted } : {};
}

/** The submitter in the head pod does not wait for the cluster, and may end before that is ready. */
function isReachable({ cluster, spec }: ObservedRayJob): boolean {
  return isReady(cluster) || spec.submissionMode === 'SidecarMode';
}

/** A job can be submitted. The state `ready` does not change when pods fail later, so the head is checked as well. */
export function isReady(cluster: ObservedRayJob['cluster']): boolean {
  const { state, conditions = [] } = cluster?.status ?? {};
  // Older versions of KubeRay write no conditions.
  const isHeadReady = conditions.every(({ type, status }) => type !== 'HeadPodReady' || status === 'True');
  return state === 'ready' && isHeadReady && cluster?.metadata?.deletionTimestamp === undefined;
}

/** Without a head the last one's name is kept, so that a new head is recognized. */
function withHeadOf({ muster: _muster, ...status }: RayClusterStatus, record: RayJobRecord): RayClusterStatus {
  const podName = status.head?.podName || record.rayClusterStatus?.head?.podName;
  return podName === undefined || podName === '' ? status : { ...status, head: { ...status.head, podName } };
}

function withJob(record: RayJobRecord, observed: ObservedRayJob): RayJobRecord {
  if (!isPolled(observed)) return record;
  const latest = withAnswer(record, observed);
  const { jobStatusCheckFailureStartTime: since, ...answered } = latest;
  if (observed.answer === undefined) return latest;
  if (!isCheckFailing(observed)) return answered;
  return { ...answered, jobStatusCheckFailureStartTime: since ?? timeOf(observed.nowMs) };
}

/** The dashboard is polled for the status of Ray's job. */
export function isPolled({ record, spec }: ObservedRayJob): boolean {
  const { jobDeploymentStatus } = record;
  return (
    jobDeploymentStatus === 'Running' ||
    (jobDeploymentStatus === 'Initializing' && spec.submissionMode === 'SidecarMode')
  );
}

/** An end that Ray reported is kept, whatever Ray answers after a restart. */
function withAnswer(record: RayJobRecord, { answer, submission, nowMs }: ObservedRayJob): RayJobRecord {
  if (hasRayJobEnded(record.jobStatus)) return withEnd(record, nowMs);
  if (answer?.kind !== 'Job')
    return submission?.kind === 'Accepted' && record.jobStatus === '' ? { ...record, jobStatus: 'PENDING' } : record;
  const endMs = answer.endMs ?? (hasRayJobEnded(answer.status) ? nowMs : undefined);
  const rayJobInfo = {
    ...(answer.startMs !== undefined && { startTime: timeOf(answer.startMs) }),
    ...(endMs !== undefined && { endTime: timeOf(endMs) }),
  };
  return { ...record, jobStatus: answer.status, message: answer.message, rayJobInfo };
}

/** Older versions of KubeRay wrote no end time. The time limit of the log counts from it. */
function withEnd(record: RayJobRecord, nowMs: number): RayJobRecord {
  if (record.rayJobInfo?.endTime !== undefined) return record;
  return { ...record, rayJobInfo: { ...record.rayJobInfo, endTime: timeOf(nowMs) } };
}

/** The dashboard does not report a job that it should have. With a submitter Job, it may not have the job yet. */
function isCheckFailing({ answer, record, spec }: ObservedRayJob): boolean {
  if (record.jobDeploymentStatus !== 'Running' || answer === undefined) return false;
  if (answer.kind === 'NotFound') return record.jobStatus !== '' || spec.submissionMode !== 'K8sJobMode';
  return answer.kind === 'Silent';
}
