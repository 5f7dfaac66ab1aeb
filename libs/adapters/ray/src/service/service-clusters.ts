/** The RayClusters of a RayService. */
import type { DesiredResource } from '@muster/common-job-controller';
import {
  ANNOTATIONS,
  RAY_CLUSTERS,
  type KubeObject,
  type RayCluster,
  type RayClusterSpec,
  type RayService,
} from '@muster/job-api';
import { HEAD_ONLY } from '../model/ray-labels.ts';
import { timeOf } from '../model/time-of.ts';
import { parseServeConfig, proxyLocation } from '../serve/serve-config.ts';
import { INCREMENTAL } from './incremental-upgrade.ts';
import { followedSpec, goalAnnotations } from './cluster-goal.ts';
import { serviceLabels } from './service-names.ts';
import type { EvaluatedService } from './service-status.ts';
import type { WantedCluster } from './service-step.ts';

/** Annotations about the RayService itself. */
const NOT_COPIED: readonly string[] = ['kubectl.kubernetes.io/last-applied-configuration', ANNOTATIONS.status];

export function clusterResources({ manifest, step }: EvaluatedService): DesiredResource[] {
  return step.clusters.map((wanted) => ({
    resource: RAY_CLUSTERS,
    object: wanted.existing?.object ?? newCluster(manifest, wanted.name, step.active !== undefined),
    change: (existing: KubeObject) => changeOf(existing as RayCluster, manifest, wanted),
  }));
}

/** With the labels and annotations of the service: queues and `ray.io` annotations are meant for the cluster. */
export function newCluster({ metadata, spec }: RayService, clusterName: string, isUpgrade = false): RayCluster {
  const { name = '', namespace, labels, annotations = {} } = metadata ?? {};
  const copied = Object.entries(annotations).filter(([key]) => !NOT_COPIED.includes(key));
  const { config } = parseServeConfig(spec.serveConfigV2 ?? '');
  const isHeadOnly = config !== undefined && proxyLocation(config) === HEAD_ONLY;
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: {
      name: clusterName,
      ...(namespace !== undefined && { namespace }),
      labels: { ...labels, ...serviceLabels(name) },
      annotations: {
        ...Object.fromEntries(copied),
        ...goalAnnotations(spec.rayClusterConfig),
        ...(isHeadOnly && { [ANNOTATIONS.serveProxies]: HEAD_ONLY }),
      },
    },
    spec:
      isUpgrade && spec.upgradeStrategy?.type === INCREMENTAL ? unsized(spec.rayClusterConfig) : spec.rayClusterConfig,
  };
}

/** The autoscaler starts workers with the capacity that moves to the cluster. */
function unsized(spec: RayClusterSpec): RayClusterSpec {
  const groups = (spec.workerGroupSpecs ?? []).map(({ replicas: _replicas, ...group }) => group);
  return { ...spec, workerGroupSpecs: groups };
}

function changeOf(
  { metadata, spec }: RayCluster,
  { spec: { rayClusterConfig: goal } }: RayService,
  { follows, deleteAfterMs }: WantedCluster,
): { readonly patch: object } | undefined {
  const marks = {
    ...(follows && goalAnnotations(goal)),
    ...(deleteAfterMs !== undefined && { [ANNOTATIONS.deleteAfter]: timeOf(deleteAfterMs) }),
  };
  const annotations = Object.fromEntries(
    Object.entries(marks).filter(([key, value]) => metadata?.annotations?.[key] !== value),
  );
  const changed = follows ? followedSpec(spec, goal) : undefined;
  if (changed === undefined && Object.keys(annotations).length === 0) return undefined;
  return {
    patch: {
      ...(Object.keys(annotations).length > 0 && { metadata: { annotations } }),
      ...(changed && { spec: changed }),
    },
  };
}
