/** Kubernetes' RBAC objects, reduced to what MPI jobs use. */
import type { KubeObject } from '@muster/job-api';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Never empty: that would mean all of them. */
  readonly resourceNames?: readonly [string, ...string[]];
}

export interface ServiceAccount extends KubeObject {
  apiVersion: 'v1';
  kind: 'ServiceAccount';
}

export interface Role extends KubeObject {
  apiVersion: 'rbac.authorization.k8s.io/v1';
  kind: 'Role';
  rules: readonly PolicyRule[];
}

export interface RoleBinding extends KubeObject {
  apiVersion: 'rbac.authorization.k8s.io/v1';
  kind: 'RoleBinding';
  subjects: readonly { readonly kind: 'ServiceAccount'; readonly name: string; readonly namespace: string }[];
  roleRef: { readonly apiGroup: 'rbac.authorization.k8s.io'; readonly kind: 'Role'; readonly name: string };
}
