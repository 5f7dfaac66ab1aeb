/** RayClusters as a load: a head and workers, which keep running. */
import { RAY_CLUSTERS } from '@muster/job-api';
import { rayCluster } from '../ray/ray-cluster-manifest.ts';
import type { JobKind } from './job-kind.ts';

export const RAY_KIND: JobKind = {
  resource: RAY_CLUSTERS,
  container: 'ray-worker',
  runsOn: true,
  manifest: (name, pods) => {
    const { metadata: _namespaced, ...cluster } = rayCluster('', name, pods - 1);
    return { ...cluster, metadata: { name } };
  },
};
