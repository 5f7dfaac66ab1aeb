/** What one look at the cluster and the dashboard adds to the record of a job, whatever state that is in. */
import type { RayClusterStatus } from '@muster/job-api';
import { admittedTime } from './cluster-queue.ts';
import { dashboardAddress } from './dashboard-address.ts';
import type { ObservedRayJob } from './observed-ray-job.ts';
import { hasRayJobEnded, type JobDeploymentStatus, type RayJobRecord } from './ray-job-status.ts';

/** Nothing is learned of a job that has no cluster, or whose cluster is going. */
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

/** A job whose cluster has waited in a queue starts with the cluster's admission: its deadlines count from then. */
function startTimeOf(
  { jobDeploymentStatus, startTime }: RayJobRecord,
  cluster: ObservedRayJob['cluster'],
): Pick<RayJobRecord, 'startTime'> {
  const admitted = jobDeploymentStatus === 'Running' ? undefined : admittedTime(cluster);
  const isLater = admitted !== undefined && startTime !== undefined && Date.parse(admitted) > Date.parse(startTime);
  return isLater ? { startTime: admitted } : {};
}

/** The submitter in the head pod does not wait until the cluster is ready, and may be done before it ever is. */
function isReachable({ cluster, spec }: ObservedRayJob): boolean {
  return isReady(cluster) || spec.submissionMode === 'SidecarMode';
}

/** Whether a job can be submitted. The state `ready` stays when pods fail later, so the head is looked at as well. */
export function isReady(cluster: ObservedRayJob['cluster']): boolean {
  const { state, conditions = [] } = cluster?.status ?? {};
  // An older KubeRay writes no conditions.
  const isHeadReady = conditions.every(({ type, status }) => type !== 'HeadPodReady' || status === 'True');
  return state === 'ready' && isHeadReady && cluster?.metadata?.deletionTimestamp === undefined;
}

/** While the cluster has no head, the name of the last one stays: by it another head is known. */
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

/** Whether the dashboard is asked for the status of Ray's job. */
export function isPolled({ record, spec }: ObservedRayJob): boolean {
  const { jobDeploymentStatus } = record;
  return (
    jobDeploymentStatus === 'Running' ||
    (jobDeploymentStatus === 'Initializing' && spec.submissionMode === 'SidecarMode')
  );
}

/** What Ray says last of a job that has ended stays, whatever it says after a restart. */
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

/** An older KubeRay did not write when that was; from then on the log is waited for. */
function withEnd(record: RayJobRecord, nowMs: number): RayJobRecord {
  if (record.rayJobInfo?.endTime !== undefined) return record;
  return { ...record, rayJobInfo: { ...record.rayJobInfo, endTime: timeOf(nowMs) } };
}

/**
 * Whether the dashboard does not say how a job is doing that it should know. A submitter that is a Job of its own may take its
 * time, and says itself when it has failed.
 */
function isCheckFailing({ answer, record, spec }: ObservedRayJob): boolean {
  if (record.jobDeploymentStatus !== 'Running' || answer === undefined) return false;
  if (answer.kind === 'NotFound') return record.jobStatus !== '' || spec.submissionMode !== 'K8sJobMode';
  return answer.kind === 'Silent';
}

/** As the API server writes times. */
export function timeOf(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
