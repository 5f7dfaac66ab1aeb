/** The objects of an MPI job beside its pods: its configuration, its network or the rights of its launcher, its SSH keys. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  ENDPOINT_SLICE_KIND,
  mergePatch,
  sshKeys,
  type OwnedKind,
  type DesiredResource,
  type EnsuredObject,
  type JobContext,
  type Replica,
  type ReplicaPod,
  type TrainingJob,
} from '@muster/common-job-controller';
import {
  ANNOTATIONS,
  LABELS,
  OPERATOR_NAMES,
  SECRETS,
  SERVICES,
  type KubeObject,
  type Resource,
  type Secret,
  type Service,
} from '@muster/job-api';
import { launcherRole, roleBinding, serviceAccount } from './access/access.ts';
import { configFiles } from './config/config-files.ts';
import { reachableWorkers } from './config/reachable-workers.ts';
import type { MPIOptions } from './generations/mpi-options.ts';
import { configMapName, launcherName, sshSecretName } from './config/object-names.ts';
import type { Role, RoleBinding, ServiceAccount } from './access/rbac-objects.ts';
import { hasSshKeys, sshSecretData } from './access/ssh-secret.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

const core = { group: '', version: 'v1', namespaced: true } as const;
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true } as const;
const CONFIG_MAPS: Resource<ConfigMap> = { ...core, kind: 'ConfigMap', plural: 'configmaps' };
const SERVICE_ACCOUNTS: Resource<ServiceAccount> = { ...core, kind: 'ServiceAccount', plural: 'serviceaccounts' };
const ROLES: Resource<Role> = { ...rbac, kind: 'Role', plural: 'roles' };
const ROLE_BINDINGS: Resource<RoleBinding> = { ...rbac, kind: 'RoleBinding', plural: 'rolebindings' };

/** They stay as long as the job: its launcher may be resumed, and its log explained. */
function kind<T extends KubeObject>(resource: Resource<T>): OwnedKind {
  return { resource, endsWithRun: false, trim: trimmed };
}

export const MPI_OWNED_KINDS: readonly OwnedKind[] = [
  kind(CONFIG_MAPS),
  kind(SERVICES),
  ENDPOINT_SLICE_KIND,
  kind(SERVICE_ACCOUNTS),
  kind(ROLES),
  // One whose role is not the job's is deleted.
  { ...kind(ROLE_BINDINGS), isReplaceable: true },
];

function trimmed(object: KubeObject): KubeObject {
  const { annotations: _annotations, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

export function mpiOwnedResources(
  { options }: TrainingJob<MPIOptions>,
  replicas: readonly ReplicaPod[],
  context: JobContext,
): readonly DesiredResource[] {
  const all = replicas.filter(({ role }) => role.name === 'Worker');
  // Those that are left when others were scaled away by name have holes in their numbers.
  const workers = all.length > 0 ? all.map(({ index }) => index) : undefined;
  const config = configMap(options, reachableWorkers(options, replicas, context), workers);
  // Under the name of a worker that is not there yet, another job may have a pod.
  const areThere = all.length === options.workers && all.every(({ pod }) => pod !== undefined);
  const reach = options.transport === 'ssh' ? [service(options, replicas)] : access(options, workers, areThere);
  return [config, ...reach] as readonly DesiredResource[];
}

/**
 * Of the launcher alone: a digest of the hosts that it can reach. Elastic programs in it read in `discover_hosts.sh` which those are.
 * v1alpha1 knows none.
 */
export function hostsDigest(
  { options }: TrainingJob<MPIOptions>,
  { role }: Replica,
  replicas: readonly ReplicaPod[],
  context: JobContext,
): string | undefined {
  if (role.name !== 'Launcher' || options.generation === 'v1alpha1') return undefined;
  const hosts = reachableWorkers(options, replicas, context);
  const launcher = replicas.find((replica) => replica.role === role)?.pod;
  // It begins with none.
  if (hosts.length === 0 && launcher?.metadata?.annotations?.[ANNOTATIONS.hosts] === undefined) return undefined;
  return createHash('sha256').update(hosts.join()).digest('hex').slice(0, 16);
}

function configMap(
  options: MPIOptions,
  running: readonly number[],
  workers: readonly number[] | undefined,
): DesiredResource<ConfigMap> {
  const data = configFiles(options, { running, workers, withSlots: options.discoversSlots });
  return {
    resource: CONFIG_MAPS,
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: configMapName(options), labels: { app: options.name } },
      data,
    },
    change(existing) {
      const patch = mergePatch(existing.data ?? {}, data);
      return patch && { patch: { data: patch } };
    },
  };
}

/**
 * Without ports: it gives pods their names and nothing else. Upstream's has a selector, and one that was made with it keeps it: its
 * names are Kubernetes' matter.
 */
function service(
  { name, serviceName, launcherComputes }: MPIOptions,
  replicas: readonly ReplicaPod[],
): DesiredResource<Service> {
  // A launcher that starts processes on its own host has to find that before it is ready.
  const how = { publishNotReadyAddresses: launcherComputes };
  return {
    resource: SERVICES,
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: serviceName, labels: { app: name } },
      spec: { clusterIP: 'None', ...how },
    },
    leadsTo: { replicas, seeker: 'Launcher' },
    change({ spec: { selector, publishNotReadyAddresses = false } = {} }) {
      const existing = { selector, publishNotReadyAddresses };
      const patch = mergePatch(existing, { ...how, ...(selector && { selector: selectorOf(name) }) });
      return patch && { patch: { spec: patch } };
    },
  };
}

function selectorOf(name: string): Record<string, string> {
  return { [LABELS.operatorName]: OPERATOR_NAMES.MPIJob, [LABELS.jobName]: name };
}

/**
 * An account that the launcher's template names is the user's own: it is bound, and neither made nor deleted. Rights on pods
 * are given when those are the job's.
 */
function access(options: MPIOptions, workers: readonly number[] | undefined, areThere: boolean): DesiredResource[] {
  const { launcherAccount = launcherName(options) } = options;
  const role = launcherRole(options, workers);
  const binding = roleBinding(options, launcherAccount);
  const account: DesiredResource<ServiceAccount> = {
    resource: SERVICE_ACCOUNTS,
    object: serviceAccount(options),
    change: () => undefined,
  };
  const roles: DesiredResource<Role> = {
    resource: ROLES,
    object: role,
    change: ({ rules }) => (isDeepStrictEqual(rules, role.rules) ? undefined : { patch: { rules: role.rules } }),
  };
  const bindings: DesiredResource<RoleBinding> = {
    resource: ROLE_BINDINGS,
    object: binding,
    change: ({ subjects }) =>
      isDeepStrictEqual(subjects, binding.subjects) ? undefined : { patch: { subjects: binding.subjects } },
  };
  const rights = areThere ? [roles, bindings] : [];
  return [...(options.launcherAccount === undefined ? [account] : []), ...rights] as DesiredResource[];
}

/** The keys by which the job's pods trust one another: made once, never changed under running pods. */
export function sshSecret({ options }: TrainingJob<MPIOptions>): readonly EnsuredObject[] {
  if (options.transport !== 'ssh') return [];
  const object: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: sshSecretName(options), labels: { app: options.name } },
    type: 'kubernetes.io/ssh-auth',
  };
  return [
    {
      resource: SECRETS,
      object,
      complete: (whole) => ({ ...whole, data: sshSecretData(sshKeys()) }),
      serves: ({ data }: Secret) => hasSshKeys(data),
    },
  ];
}
