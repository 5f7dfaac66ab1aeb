/** Which objects of a RayJob are created, kept or deleted, by its record. */
import type { RayJobSpec } from '@muster/job-api';
import { afterTheEnd, type Deletion } from './deletion.ts';
import { submitterIsJob } from './ray-job-conditions.ts';
import { RAY_JOB_STATES, type ObjectAction } from './ray-job-state.ts';
import type { RayJobRecord } from './ray-job-status.ts';

export interface KeptObjects {
  /** Always `Keep` with `spec.clusterSelector`: the job does not own the cluster. */
  readonly cluster: ObjectAction;
  /** The worker groups of a kept cluster are suspended. */
  readonly suspendsWorkers: boolean;
  /** The Job of K8sJobMode. */
  readonly submitter: ObjectAction;
  readonly deletesJob: boolean;
  /** Milliseconds until this changes without an event. */
  readonly recheckAfterMs?: number;
}

export function keptObjects(record: RayJobRecord, spec: RayJobSpec, nowMs: number): KeptObjects {
  const { phase } = RAY_JOB_STATES[record.jobDeploymentStatus];
  const hasEnded = phase === 'Succeeded' || phase === 'Failed';
  const { goes, nextMs }: Deletion = hasEnded ? afterTheEnd(record, spec, nowMs) : { goes: 'Nothing' };
  const { cluster, submitter } = fatesOf(record, spec);
  const isOwn = spec.clusterSelector === undefined;
  return {
    cluster: !isOwn ? 'Keep' : goes === 'Cluster' ? 'Delete' : cluster,
    submitter,
    suspendsWorkers: isOwn && goes === 'Workers',
    deletesJob: goes === 'Job',
    ...(nextMs !== undefined && { recheckAfterMs: nextMs }),
  };
}

/** Before deletion rules. A job that starts suspended creates nothing. */
function fatesOf(record: RayJobRecord, spec: RayJobSpec): Pick<KeptObjects, 'cluster' | 'submitter'> {
  const fates = RAY_JOB_STATES[record.jobDeploymentStatus];
  if (record.jobDeploymentStatus !== 'Initializing') return fates;
  if (spec.suspend === true) return { cluster: 'Keep', submitter: 'Keep' };
  return submitterIsJob({ spec }) && record.dashboardURL !== undefined ? fates : { ...fates, submitter: 'Keep' };
}
