/** What the autoscaler may do: see the pods of its namespace, and change the one cluster that it scales. */
import type { Role, RoleBinding, ServiceAccount } from '@muster/job-api';
import { autoscalerName } from '../model/names.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { clusterLabels, RAY_ANNOTATIONS } from '../model/ray-labels.ts';
import { hasAutoscaler } from './autoscaler-version.ts';

/** The ServiceAccount that the head's pod runs as, where there is an autoscaler. */
export function autoscalerAccount(cluster: ClusterModel): string {
  return templatesAccount(cluster) ?? autoscalerName(cluster);
}

/** Undefined where there is no autoscaler, or the head's template names an account: that is the user's own to make. */
export function autoscalerServiceAccount(cluster: ClusterModel): ServiceAccount | undefined {
  if (!hasAutoscaler(cluster) || templatesAccount(cluster) !== undefined) return undefined;
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata(cluster) };
}

/**
 * Undefined where there is no autoscaler. Kubernetes has no right to list by label, so it sees all pods of the namespace; it
 * changes the pods `podNames` alone, and those only where they are resized in place.
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

/** Gives that Role to the account that the head's pod runs as. */
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

/** Also in the older spelling. */
function templatesAccount({ spec }: ClusterModel): string | undefined {
  const { serviceAccountName, serviceAccount } = spec.headGroupSpec.template.spec ?? {};
  return [serviceAccountName, serviceAccount].find((name) => name !== undefined && name !== '');
}

function metadata(cluster: ClusterModel) {
  return { name: autoscalerName(cluster), namespace: cluster.namespace, labels: clusterLabels(cluster) };
}
