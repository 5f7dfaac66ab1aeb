/** True if the GCS recovers its state when its head is recreated, so that jobs continue. */
import type { RayCluster } from '@muster/job-api';
import { gcsBackend } from '../fault-tolerance/gcs-backend.ts';

export function hasFaultTolerance(cluster: RayCluster | undefined): boolean {
  if (cluster === undefined) return false;
  return gcsBackend({ spec: cluster.spec, annotations: cluster.metadata?.annotations ?? {} }) !== undefined;
}
