/** What holds for all clusters of an operator. */
import type { RayCluster } from '@muster/job-api';
import type { ClusterModel } from '../model/ray-cluster-model.ts';

export interface RaySettings {
  /** The cluster's DNS domain. */
  readonly clusterDomain: string;
  /** Where the operator's own pods are, which may reach dashboards in spite of `networkPolicy`; undefined outside the cluster. */
  readonly operatorNamespace?: string | undefined;
}

export const DEFAULT_RAY_SETTINGS: RaySettings = { clusterDomain: 'cluster.local' };

/** As `FrameworkAdapter.madeWith` has them. */
export function recordedSettings({ clusterDomain, operatorNamespace }: Partial<RaySettings>) {
  return { ...(clusterDomain && { clusterDomain }), ...(operatorNamespace && { operatorNamespace }) };
}

export function clusterModel({ metadata, spec }: RayCluster, settings: RaySettings): ClusterModel {
  const { name = '', namespace = '', uid = '', labels = {}, annotations = {} } = metadata ?? {};
  const { clusterDomain, operatorNamespace } = settings;
  const own = { name, namespace, uid, labels, annotations, spec, clusterDomain };
  return operatorNamespace === undefined ? own : { ...own, operatorNamespace };
}
