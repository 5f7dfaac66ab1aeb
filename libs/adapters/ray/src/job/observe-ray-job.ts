/** Observes a RayJob from the context of a reconcile run. */
import { ageOf, annotatedGraceMs, isControlledBy, type JobContext } from '@muster/common-job-controller';
import { BATCH_JOBS, RAY_CLUSTERS, type Job, type KubeObject, type RayCluster, type RayJob } from '@muster/job-api';
import { isNodeDead, readJobReply, readSessionReply, readStopReply, readSubmissionReply } from './dashboard.ts';
import type { ObservedRayJob, Submitter } from './observed-ray-job.ts';
import { driverNodeName, probeName, sessionName, stopName, submissionName } from './ray-job-probes.ts';
import { submitterName } from './ray-job-names.ts';
import { rayJobRecord, type RayJobRecord } from './ray-job-status.ts';
import { readSidecarSubmitter, readSubmitterJob } from './submitter-job.ts';

type Objects = Pick<JobContext, 'pods' | 'ownedResources' | 'references'>;

export function observedRayJob(manifest: RayJob, context: JobContext, clusterDomain: string): ObservedRayJob {
  const { name = '', namespace = '', uid = '', generation } = manifest.metadata ?? {};
  const record = rayJobRecord(manifest.status);
  const jobId = record.jobId ?? '';
  const submitter = submitterOf(manifest, record, context);
  const answer = readJobReply(context.probeResults.get(probeName(jobId, submitter)));
  const unaskable = unaskableState(manifest, context);
  return {
    ...{ name, namespace, uid, generation, spec: manifest.spec, record, clusterDomain, nowMs: context.nowMs },
    cluster: clusterOf(manifest, record, context),
    submitter,
    submitterGraceMs: annotatedGraceMs(manifest),
    answer,
    ...(unaskable !== undefined && { unaskableMs: ageOf(context.stateAges, unaskable) }),
    isDriverNodeDead:
      answer?.kind === 'Job' && isNodeDead(context.probeResults.get(driverNodeName(answer.driverNode ?? ''))),
    session: readSessionReply(context.probeResults.get(sessionName(jobId))),
    submission: readSubmissionReply(context.probeResults.get(submissionName(jobId))),
    stop: readStopReply(context.probeResults.get(stopName(jobId))),
  };
}

/** The aging state while the submitter has ended and the cluster has no address. The manifest may be invalid. */
export function unaskableState(manifest: Partial<RayJob>, objects: Objects): string | undefined {
  const { metadata, spec, status } = manifest;
  const record = rayJobRecord(status);
  if (spec === undefined || record.jobDeploymentStatus !== 'Running') return undefined;
  const job = { metadata: metadata ?? {}, spec };
  const { serviceName = '' } = clusterOf(job, record, objects)?.status?.head ?? {};
  const isUnaskable = serviceName === '' && submitterOf(job, record, objects)?.end !== undefined;
  return isUnaskable ? `no address for ${record.jobId} of ${metadata?.uid}` : undefined;
}

function clusterOf({ spec, metadata }: RayJob, { rayClusterName }: RayJobRecord, context: Objects) {
  if (spec.clusterSelector !== undefined) {
    return context.references.find(({ resource }) => resource === RAY_CLUSTERS)?.object as RayCluster | undefined;
  }
  return context.ownedResources.find(
    ({ kind, object }) =>
      kind.resource === RAY_CLUSTERS &&
      isControlledBy(metadata?.uid, object) &&
      (rayClusterName === undefined || object.metadata?.name === rayClusterName),
  )?.object as RayCluster | undefined;
}

function submitterOf({ metadata, spec }: RayJob, record: RayJobRecord, context: Objects): Submitter | undefined {
  if (spec.submissionMode === 'SidecarMode') {
    const head = context.pods.find((pod) => isHead(pod, record));
    return head && readSidecarSubmitter(head);
  }
  const name = submitterName({ name: metadata?.name ?? '' });
  const found = context.ownedResources.find(
    ({ kind, object }) =>
      kind.resource === BATCH_JOBS && isControlledBy(metadata?.uid, object) && object.metadata?.name === name,
  );
  return found && readSubmitterJob(found.object as Job);
}

function isHead({ metadata }: KubeObject, { rayClusterName }: RayJobRecord): boolean {
  const { labels = {}, deletionTimestamp } = metadata ?? {};
  return (
    deletionTimestamp === undefined &&
    labels['ray.io/cluster'] === rayClusterName &&
    labels['ray.io/node-type'] === 'head'
  );
}
