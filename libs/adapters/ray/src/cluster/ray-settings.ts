import type { RayCluster } from '@muster/job-api';
import type { ClusterModel } from '../model/ray-cluster-model.ts';

export interface RaySettings {
  readonly clusterDomain: string;
  /** Namespace of the operator's pods, for NetworkPolicies; undefined outside the cluster. */
  readonly operatorNamespace?: string | undefined;
}

export const DEFAULT_RAY_SETTINGS: RaySettings = { clusterDomain: 'cluster.local' };

/** For `FrameworkAdapter.madeWith`. */
export function recordedSettings({ clusterDomain, operatorNamespace }: Partial<RaySettings>) {
  return { ...(clusterDomain && { clusterDomain }), ...(operatorNamespace && { operatorNamespace }) };
}

export function clusterModel({ metadata, spec }: RayCluster, settings: RaySettings): ClusterModel {
  const { name = '', namespace = '', uid = '', labels = {}, annotations = {} } = metadata ?? {};
  const { clusterDomain, operatorNamespace } = settings;
  const own = { name, namespace, uid, labels, annotations, spec, clusterDomain };
  return operatorNamespace === undefined ? own : { ...own, operatorNamespace };
}
