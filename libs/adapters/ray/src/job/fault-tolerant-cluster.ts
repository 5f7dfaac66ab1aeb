/** Whether a cluster's GCS finds again what it knew when its head is replaced, so that its jobs go on. */
import type { RayCluster } from '@muster/job-api';
import { gcsBackend } from '../fault-tolerance/gcs-backend.ts';

export function hasFaultTolerance(cluster: RayCluster | undefined): boolean {
  if (cluster === undefined) return false;
  return gcsBackend({ spec: cluster.spec, annotations: cluster.metadata?.annotations ?? {} }) !== undefined;
}
