/** What a RayCluster has beside its pods: its Services, the autoscaler's rights, its volume, and who may reach it. */
import type {
  DesiredResource,
  EnsuredObject,
  JobContext,
  OwnedKind,
  Permission,
  ReplicaPod,
} from '@muster/common-job-controller';
import {
  BATCH_JOBS,
  INGRESSES,
  NETWORK_POLICIES,
  PERSISTENT_VOLUME_CLAIMS,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
  SERVICES,
  type KubeObject,
  type Resource,
  type Service,
} from '@muster/job-api';
import { networkPolicies } from '../access/network-policies.ts';
import { authSecrets } from '../access/token-auth.ts';
import { autoscalerRole, autoscalerRoleBinding, autoscalerServiceAccount } from '../autoscaler/autoscaler-access.ts';
import { gcsClaim, retainsGcsClaim } from '../fault-tolerance/rocksdb.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { headIngress } from '../services/head-ingress.ts';
import { portsOfHead } from '../services/head-ports.ts';
import { dashboardPort, headService, withExactSelector } from '../services/head-service.ts';
import { headlessService } from '../services/headless-service.ts';
import { changeOf } from './object-change.ts';
import { HEAD_ROLE } from './ray-cluster-roles.ts';

/**
 * They are the cluster's as long as it is there, suspended or not; what its spec no longer asks for goes. KubeRay has always
 * labelled them, so nobody looks through all Services of Kubernetes for them.
 */
const lasting = (resource: Resource): OwnedKind => ({
  resource,
  endsWithRun: true,
  isAlwaysLabelled: true,
  trim: (object) => object,
});
/** A claim holds data, and a clean-up is not begun twice: only the cluster's own end takes them. */
const kept = (resource: Resource): OwnedKind => ({ resource, endsWithRun: false, trim: (object) => object });

export const RAY_CLUSTER_KINDS: readonly OwnedKind[] = [
  lasting(SERVICES),
  lasting(SERVICE_ACCOUNTS),
  lasting(ROLES),
  lasting(ROLE_BINDINGS),
  lasting(NETWORK_POLICIES),
  { ...lasting(INGRESSES), isOptional: true },
  kept(PERSISTENT_VOLUME_CLAIMS),
  kept(BATCH_JOBS),
];

/** Whoever grants a right to others has to have it. */
export const RAY_CLUSTER_PERMISSIONS: readonly Permission[] = [
  { group: '', resource: 'secrets', verbs: ['create', 'get', 'update'] },
  { group: '', resource: 'pods/resize', verbs: ['patch'] },
];

export function clusterObjects(
  cluster: ClusterModel,
  replicas: readonly ReplicaPod[],
  { ownedResources }: Pick<JobContext, 'ownedResources'>,
): DesiredResource[] {
  const podNames = replicas.flatMap(({ pod }) => pod?.metadata?.name ?? []);
  const head = replicas.find(({ role }) => role.name === HEAD_ROLE)?.pod;
  const ports = portsOfHead(cluster, head, { ownedResources });
  const dashboard = dashboardPort(cluster, ports);
  return [
    ...[headService(cluster, ports), headlessService(cluster)].flatMap(desiredService),
    ...desired(SERVICE_ACCOUNTS, [autoscalerServiceAccount(cluster)], []),
    ...desired(ROLES, [autoscalerRole(cluster, podNames)], ['rules']),
    ...desired(ROLE_BINDINGS, [autoscalerRoleBinding(cluster)], ['subjects']),
    ...desired(NETWORK_POLICIES, networkPolicies(cluster, dashboard), ['spec']),
    ...desired(INGRESSES, [headIngress(cluster, dashboard)], ['spec']),
    ...(retainsGcsClaim(cluster) ? [] : desired(PERSISTENT_VOLUME_CLAIMS, [gcsClaim(cluster)], [])),
  ];
}

export function clusterSecrets(cluster: ClusterModel): EnsuredObject[] {
  const claim = retainsGcsClaim(cluster) ? gcsClaim(cluster) : undefined;
  const retained = claim && {
    resource: PERSISTENT_VOLUME_CLAIMS,
    object: claim,
    outlivesJob: true,
    complete: (object: KubeObject) => object,
    serves: () => true,
  };
  return [...authSecrets(cluster), ...(retained ? [retained] : [])];
}

function desiredService(service: Service | undefined): DesiredResource[] {
  if (service === undefined) return [];
  const change = (existing: KubeObject) =>
    changeOf(existing, withExactSelector(existing as Service, service), ['spec']);
  return [{ resource: SERVICES, object: service, change }];
}

/** @param fields those that are kept as they should be; none of what is made once */
function desired<T extends KubeObject>(
  resource: Resource<T>,
  objects: readonly (T | undefined)[],
  fields: readonly (keyof T & string)[],
): DesiredResource[] {
  return objects.flatMap((object) =>
    object === undefined
      ? []
      : [{ resource, object, change: (existing: KubeObject) => changeOf(existing, object, fields) }],
  );
}
