/** KubeRay's metrics of clusters, under its names and labels; there some of them are set at transitions and then forgotten. */
import type { JobGauge } from '@muster/common-job-controller';
import type { RayCluster } from '@muster/job-api';
import { RAY_LABELS } from '../model/ray-labels.ts';

const OBJECT_LABELS = ['name', 'namespace', 'uid'] as const;

export const RAY_CLUSTER_GAUGES: readonly JobGauge<RayCluster>[] = [
  {
    name: 'kuberay_cluster_info',
    help: 'RayClusters, with the kind of what has made them.',
    labelNames: [...OBJECT_LABELS, 'owner_kind'],
    samples: (cluster) => [{ labels: { ...labelsOf(cluster), owner_kind: ownerKind(cluster) }, value: 1 }],
  },
  {
    name: 'kuberay_cluster_condition_provisioned',
    help: 'Whether all pods of a RayCluster have been ready together.',
    labelNames: [...OBJECT_LABELS, 'condition'],
    samples: (cluster) => [
      { labels: { ...labelsOf(cluster), condition: String(provisionedMs(cluster) !== undefined) }, value: 1 },
    ],
  },
  {
    name: 'kuberay_cluster_provisioned_duration_seconds',
    help: 'From the creation of a RayCluster, or its last suspension, until all of its pods were ready together.',
    labelNames: OBJECT_LABELS,
    samples(cluster) {
      const [endMs, startMs] = [provisionedMs(cluster), startOf(cluster)];
      if (endMs === undefined || !(endMs >= startMs)) return [];
      return [{ labels: labelsOf(cluster), value: (endMs - startMs) / 1000 }];
    },
  },
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

/** A cluster that is resumed begins anew. */
function startOf({ metadata, status }: RayCluster): number {
  return Date.parse(status?.muster?.startTime ?? metadata?.creationTimestamp ?? '');
}
