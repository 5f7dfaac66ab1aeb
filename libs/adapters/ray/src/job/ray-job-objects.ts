/** The RayCluster and the Job of a RayJob, as they should be by what goes on record now. */
import type { AfterEnd, DesiredResource } from '@muster/common-job-controller';
import { BATCH_JOBS, RAY_CLUSTERS, type KubeObject, type RayCluster, type RayJob } from '@muster/job-api';
import { clusterModel } from '../cluster/ray-settings.ts';
import { desiredCluster } from './desired-cluster.ts';
import { keptObjects } from './kept-objects.ts';
import { isReady } from './learned-record.ts';
import type { ObservedRayJob } from './observed-ray-job.ts';
import { leftoversOf } from './ray-job-leftovers.ts';
import { nextState } from './ray-job-state.ts';
import type { RayJobRecord } from './ray-job-status.ts';
import { submitterName } from './ray-job-names.ts';
import { submitterJob } from './submitter-job.ts';

export function jobObjects(manifest: RayJob, observed: ObservedRayJob): DesiredResource[] {
  const { record } = nextState(observed);
  return objectsOf(manifest, observed, record).objects;
}

/** What is left of a job that has ended. */
export function objectsAfterEnd(manifest: RayJob, observed: ObservedRayJob): AfterEnd {
  const { record } = nextState(observed);
  const { objects, deletesJob, recheckAfterMs = Infinity, cluster } = objectsOf(manifest, observed, record);
  const { submitter } = observed;
  const left = leftoversOf(observed, record, cluster === 'Keep' && observed.cluster !== undefined);
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

function objectsOf(manifest: RayJob, observed: ObservedRayJob, record: RayJobRecord) {
  const fates = keptObjects(record, manifest.spec, observed.nowMs);
  const { cluster, submitter, session } = observed;
  // A submitter is told to which session of Ray it submits. Where that cannot be known now, it does without.
  const mayBeMade = submitter !== undefined || (session !== undefined && isReady(cluster));
  const isOwn = manifest.spec.clusterSelector === undefined;
  const hasCluster = isOwn && isThere(fates.cluster, cluster !== undefined);
  const hasSubmitter =
    mayBeMade && isThere(fates.submitter, submitter !== undefined) && observed.spec.submissionMode !== 'SidecarMode';
  return {
    ...fates,
    objects: [
      ...(hasCluster ? [clusterResource(manifest, observed, record, fates.suspendsWorkers)] : []),
      ...(hasSubmitter ? [submitterResource(manifest, observed, record)] : []),
    ],
  };
}

/** What is kept, and what is made. */
function isThere(fate: 'Make' | 'Keep' | 'Delete', exists: boolean): boolean {
  return fate === 'Make' || (fate === 'Keep' && exists);
}

function clusterResource(
  manifest: RayJob,
  observed: ObservedRayJob,
  record: RayJobRecord,
  suspendsWorkers: boolean,
): DesiredResource {
  const object = observed.cluster ?? desiredCluster(manifest, record, observed.clusterDomain);
  return {
    resource: RAY_CLUSTERS,
    object,
    // Made once: later changes of its spec in the job have no effect.
    change: (existing) => (suspendsWorkers ? withoutWorkers(existing as RayCluster) : undefined),
  };
}

function withoutWorkers({ spec }: RayCluster): { readonly patch: object } | undefined {
  const groups = spec.workerGroupSpecs ?? [];
  if (groups.every(({ suspend }) => suspend === true)) return undefined;
  return { patch: { spec: { workerGroupSpecs: groups.map((group) => ({ ...group, suspend: true })) } } };
}

function submitterResource(manifest: RayJob, observed: ObservedRayJob, record: RayJobRecord): DesiredResource {
  const { cluster, submitter, session = '' } = observed;
  // Of one that is there nothing but the name counts: it is made once.
  const object: KubeObject =
    submitter !== undefined || cluster === undefined
      ? { metadata: { name: submitterName(observed) } }
      : submitterJob(manifest, record, clusterModel(cluster, observed), { session });
  return { resource: BATCH_JOBS, object, change: () => undefined };
}
