/** Gauges of RayClusters. Muster computes them at each scrape; KubeRay sets some only at transitions. */
import type { JobGauge } from '@muster/common-job-controller';
import type { RayCluster } from '@muster/job-api';
import { RAY } from '@muster/metrics';
import { rayGauge } from '../model/ray-gauge.ts';
import { RAY_LABELS } from '../model/ray-labels.ts';

export const RAY_CLUSTER_GAUGES: readonly JobGauge<RayCluster>[] = [
  rayGauge(RAY.clusterInfo, (cluster: RayCluster) => [
    { labels: { ...labelsOf(cluster), owner_kind: ownerKind(cluster) }, value: 1 },
  ]),
  rayGauge(RAY.clusterProvisioned, (cluster: RayCluster) => [
    { labels: { ...labelsOf(cluster), condition: String(provisionedMs(cluster) !== undefined) }, value: 1 },
  ]),
  rayGauge(RAY.clusterProvisionedDuration, (cluster: RayCluster) => {
    const [endMs, startMs] = [provisionedMs(cluster), startOf(cluster)];
    if (endMs === undefined || !(endMs >= startMs)) return [];
    return [{ labels: labelsOf(cluster), value: (endMs - startMs) / 1000 }];
  }),
];

function labelsOf({ metadata }: RayCluster) {
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  return { name, namespace, uid };
}

function ownerKind({ metadata }: RayCluster): string {
  return metadata?.labels?.[RAY_LABELS.originKind] ?? 'None';
}

function provisionedMs({ status }: RayCluster): number | undefined {
  const found = status?.conditions?.find(({ type }) => type === 'RayClusterProvisioned');
  return found?.status === 'True' ? Date.parse(found.lastTransitionTime) : undefined;
}

/** A resumed cluster starts again. */
function startOf({ metadata, status }: RayCluster): number {
  return Date.parse(status?.muster?.startTime ?? metadata?.creationTimestamp ?? '');
}
