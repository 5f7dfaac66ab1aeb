/** A RayCluster's objects besides pods: Services, rights of the autoscaler, volume, NetworkPolicies. */
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

/** Deleted when the spec no longer needs them, but not by a suspension. KubeRay labels them as well. */
const lasting = (resource: Resource): OwnedKind => ({
  resource,
  endsWithRun: true,
  isAlwaysLabelled: true,
  trim: (object) => object,
});
/** A claim holds data, and a clean-up runs only once: both are deleted only with the cluster. */
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

/** The operator needs every right that it grants. */
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

/** @param fields fields that are kept up to date; none for objects that are only created */
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
