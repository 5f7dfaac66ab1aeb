/** The RayCluster and the Job of a RayJob, by its next record. */
import type { AfterEnd, DesiredResource } from '@muster/common-job-controller';
import { BATCH_JOBS, RAY_CLUSTERS, type KubeObject, type RayCluster } from '@muster/job-api';
import { clusterModel } from '../cluster/ray-settings.ts';
import { desiredCluster } from './desired-cluster.ts';
import { keptObjects } from './kept-objects.ts';
import { isReady } from './observed-record.ts';
import { staleObjectsOf } from './stale-ray-job-objects.ts';
import type { EvaluatedRayJob, ObjectAction } from './ray-job-state.ts';
import { submitterName } from './ray-job-names.ts';
import { submitterJob } from './submitter-job.ts';

export function jobObjects(job: EvaluatedRayJob): DesiredResource[] {
  return objectsOf(job).objects;
}

export function objectsAfterEnd(job: EvaluatedRayJob): AfterEnd {
  const { observed, step } = job;
  const { objects, deletesJob, recheckAfterMs = Infinity, cluster } = objectsOf(job);
  const { submitter } = observed;
  const left = staleObjectsOf(observed, step.record, cluster === 'Keep' && observed.cluster !== undefined);
  const nextMs = Math.min(recheckAfterMs, left.recheckAfterMs ?? Infinity);
  return {
    kept: left.deletesSubmitter ? objects.filter(({ resource }) => resource !== BATCH_JOBS) : objects,
    deletesJob,
    hasSidecars: submitter !== undefined && submitter.end === undefined,
    calls: left.calls,
    warnings: left.warnings,
    ...(Number.isFinite(nextMs) && { recheckAfterMs: nextMs }),
  };
}

function objectsOf(job: EvaluatedRayJob) {
  const { cluster, submitter, session, spec, nowMs } = job.observed;
  const fates = keptObjects(job.step.record, spec, nowMs);
  // A new submitter gets the session of Ray, which the dashboard has to answer first.
  const mayBeMade = submitter !== undefined || (session !== undefined && isReady(cluster));
  const hasCluster = spec.clusterSelector === undefined && isThere(fates.cluster, cluster !== undefined);
  const hasSubmitter =
    mayBeMade && isThere(fates.submitter, submitter !== undefined) && spec.submissionMode !== 'SidecarMode';
  return {
    ...fates,
    objects: [
      ...(hasCluster ? [clusterResource(job, fates.suspendsWorkers)] : []),
      ...(hasSubmitter ? [submitterResource(job)] : []),
    ],
  };
}

function isThere(fate: ObjectAction, exists: boolean): boolean {
  return fate === 'Make' || (fate === 'Keep' && exists);
}

function clusterResource({ manifest, observed, step }: EvaluatedRayJob, suspendsWorkers: boolean): DesiredResource {
  return {
    resource: RAY_CLUSTERS,
    object: observed.cluster ?? desiredCluster(manifest, step.record, observed.clusterDomain),
    // A later change of the job's spec does not change the cluster.
    change: (existing) => (suspendsWorkers ? withoutWorkers(existing as RayCluster) : undefined),
  };
}

function withoutWorkers({ spec }: RayCluster): { readonly patch: object } | undefined {
  const groups = spec.workerGroupSpecs ?? [];
  if (groups.every(({ suspend }) => suspend === true)) return undefined;
  return { patch: { spec: { workerGroupSpecs: groups.map((group) => ({ ...group, suspend: true })) } } };
}

function submitterResource({ manifest, observed, step }: EvaluatedRayJob): DesiredResource {
  const { cluster, submitter, session = '' } = observed;
  // An existing submitter is never changed, so its name is enough.
  const object: KubeObject =
    submitter !== undefined || cluster === undefined
      ? { metadata: { name: submitterName(observed) } }
      : submitterJob(manifest, step.record, clusterModel(cluster, observed), { session });
  return { resource: BATCH_JOBS, object, change: () => undefined };
}
