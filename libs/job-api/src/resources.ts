/** The built-in resources that Muster reads or writes. */
import type {
  CustomResourceDefinition,
  EndpointSlice,
  Event,
  Ingress,
  Job,
  KubeObject,
  Lease,
  NetworkPolicy,
  Node,
  PersistentVolumeClaim,
  Pod,
  Resource,
  Role,
  RoleBinding,
  Service,
  ServiceAccount,
} from './kubernetes.ts';

export const PODS: Resource<Pod> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

export const SERVICES: Resource<Service> = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
};

export interface Secret extends KubeObject {
  type?: string;
  /** In base64. */
  data?: Record<string, string>;
}

export const SECRETS: Resource<Secret> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};

export const NODES: Resource<Node> = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

export const LEASES: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

export const EVENTS: Resource<Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};

export const CUSTOM_RESOURCE_DEFINITIONS: Resource<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

export const SERVICE_ACCOUNTS: Resource<ServiceAccount> = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true } as const;
export const ROLES: Resource<Role> = { ...RBAC, kind: 'Role', plural: 'roles' };
export const ROLE_BINDINGS: Resource<RoleBinding> = { ...RBAC, kind: 'RoleBinding', plural: 'rolebindings' };

export const PERSISTENT_VOLUME_CLAIMS: Resource<PersistentVolumeClaim> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
};

const NETWORKING = { group: 'networking.k8s.io', version: 'v1', namespaced: true } as const;
export const NETWORK_POLICIES: Resource<NetworkPolicy> = {
  ...NETWORKING,
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
};
export const ENDPOINT_SLICES: Resource<EndpointSlice> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
};
export const INGRESSES: Resource<Ingress> = { ...NETWORKING, kind: 'Ingress', plural: 'ingresses' };

export const BATCH_JOBS: Resource<Job> = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
};
