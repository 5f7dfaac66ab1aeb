/**
 * What there is of a RayJob in each of its states, by what is on record. A cluster or submitter that is to be kept is not made
 * again when somebody has deleted it: then the job fails, or it is over.
 */
import type { RayJobSpec } from '@muster/job-api';
import { afterTheEnd } from './deletion.ts';
import type { RayJobRecord } from './ray-job-status.ts';

/** `Make`: it is to be there. `Keep`: it stays if it is there. `Delete`: it is to go. */
export type ObjectFate = 'Make' | 'Keep' | 'Delete';

export interface KeptObjects {
  /** Never `Make` or `Delete` where `spec.clusterSelector` names it: it is not the job's. */
  readonly cluster: ObjectFate;
  /** Whether the worker groups of a kept cluster are to be suspended. */
  readonly suspendsWorkers: boolean;
  /** The Job of K8sJobMode. */
  readonly submitter: ObjectFate;
  /** Whether the RayJob itself is to be deleted. */
  readonly deletesJob: boolean;
  /** When something of this changes by time alone, in milliseconds from now; undefined if nothing does. */
  readonly recheckAfterMs?: number;
}

export function keptObjects(record: RayJobRecord, spec: RayJobSpec, nowMs: number): KeptObjects {
  const fates = fatesOf(record, spec);
  const kept = { ...fates, suspendsWorkers: false, deletesJob: false };
  if (record.jobDeploymentStatus !== 'Complete' && record.jobDeploymentStatus !== 'Failed') return borrowed(kept, spec);
  const { goes, nextMs } = afterTheEnd(record, spec, nowMs);
  return borrowed(
    {
      ...kept,
      ...(goes === 'Cluster' && { cluster: 'Delete' }),
      suspendsWorkers: goes === 'Workers',
      deletesJob: goes === 'Job',
      ...(nextMs !== undefined && { recheckAfterMs: nextMs }),
    },
    spec,
  );
}

/** Before time to live. A job that is suspended as it begins makes nothing. */
function fatesOf(record: RayJobRecord, spec: RayJobSpec): Pick<KeptObjects, 'cluster' | 'submitter'> {
  const hasSubmitter = (spec.submissionMode ?? 'K8sJobMode') === 'K8sJobMode';
  switch (record.jobDeploymentStatus) {
    case 'Initializing':
      if (spec.suspend === true) return { cluster: 'Keep', submitter: 'Keep' };
      return { cluster: 'Make', submitter: hasSubmitter && record.dashboardURL !== undefined ? 'Make' : 'Keep' };
    case 'Waiting':
      return { cluster: 'Make', submitter: 'Keep' };
    case '':
    case 'Suspending':
    case 'Suspended':
    case 'Retrying':
      return { cluster: 'Delete', submitter: 'Delete' };
    case 'Running':
    case 'Complete':
    case 'Failed':
    case 'ValidationFailed':
      return { cluster: 'Keep', submitter: 'Keep' };
  }
}

function borrowed(kept: KeptObjects, { clusterSelector }: RayJobSpec): KeptObjects {
  return clusterSelector === undefined ? kept : { ...kept, cluster: 'Keep', suspendsWorkers: false };
}
