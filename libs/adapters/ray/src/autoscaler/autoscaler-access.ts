/** Rights of the autoscaler: read the pods of its namespace, and change its own cluster. */
import type { Role, RoleBinding, ServiceAccount } from '@muster/job-api';
import { autoscalerName } from '../model/names.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { clusterLabels, RAY_ANNOTATIONS } from '../model/ray-labels.ts';
import { hasAutoscaler } from './autoscaler-version.ts';

/** The ServiceAccount of the head's pod, if there is an autoscaler. */
export function autoscalerAccount(cluster: ClusterModel): string {
  return templatesAccount(cluster) ?? autoscalerName(cluster);
}

/** Undefined without an autoscaler, or if the head's template names an account, which the user creates. */
export function autoscalerServiceAccount(cluster: ClusterModel): ServiceAccount | undefined {
  if (!hasAutoscaler(cluster) || templatesAccount(cluster) !== undefined) return undefined;
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata(cluster) };
}

/**
 * Undefined without an autoscaler. RBAC cannot restrict lists by label, so it can read all pods of the namespace. It
 * may change only the pods `podNames`, and only with in-place resizing.
 */
export function autoscalerRole(cluster: ClusterModel, podNames: readonly string[]): Role | undefined {
  if (!hasAutoscaler(cluster)) return undefined;
  const resizes = cluster.annotations[RAY_ANNOTATIONS.inPlaceResize] !== undefined && podNames.length > 0;
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: metadata(cluster),
    rules: [
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['ray.io'], resources: ['rayclusters'], verbs: ['get', 'patch'], resourceNames: [cluster.name] },
      ...(resizes
        ? [
            {
              apiGroups: [''],
              resources: ['pods', 'pods/resize'],
              verbs: ['patch'],
              resourceNames: [...podNames].sort(),
            },
          ]
        : []),
    ],
  };
}

export function autoscalerRoleBinding(cluster: ClusterModel): RoleBinding | undefined {
  if (!hasAutoscaler(cluster)) return undefined;
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: metadata(cluster),
    subjects: [{ kind: 'ServiceAccount', name: autoscalerAccount(cluster), namespace: cluster.namespace }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: autoscalerName(cluster) },
  };
}

/** Also in the older field. */
function templatesAccount({ spec }: ClusterModel): string | undefined {
  const { serviceAccountName, serviceAccount } = spec.headGroupSpec.template.spec ?? {};
  return [serviceAccountName, serviceAccount].find((name) => name !== undefined && name !== '');
}

function metadata(cluster: ClusterModel) {
  return { name: autoscalerName(cluster), namespace: cluster.namespace, labels: clusterLabels(cluster) };
}
