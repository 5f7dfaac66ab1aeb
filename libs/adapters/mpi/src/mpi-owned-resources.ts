/** The objects of an MPI job besides its pods: configuration, network or rights of its launcher, SSH keys. */
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

/** Kept with the job: its launcher may be resumed, and its log needs them. */
function kind<T extends KubeObject>(resource: Resource<T>): OwnedKind {
  return { resource, endsWithRun: false, trim: trimmed };
}

export const MPI_OWNED_KINDS: readonly OwnedKind[] = [
  kind(CONFIG_MAPS),
  kind(SERVICES),
  ENDPOINT_SLICE_KIND,
  kind(SERVICE_ACCOUNTS),
  kind(ROLES),
  // A binding to another Role is deleted.
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
  // Workers have gaps in their numbers after others were removed by name.
  const workers = all.length > 0 ? all.map(({ index }) => index) : undefined;
  const config = configMap(options, reachableWorkers(options, replicas, context), workers);
  // Before the job's worker exists, another job may have a pod of that name.
  const areThere = all.length === options.workers && all.every(({ pod }) => pod !== undefined);
  const reach = options.transport === 'ssh' ? [service(options, replicas)] : access(options, workers, areThere);
  return [config, ...reach] as readonly DesiredResource[];
}

/** For the launcher only: a digest of the hosts that programs read from `discover_hosts.sh`. Not in v1alpha1. */
export function hostsDigest(
  { options }: TrainingJob<MPIOptions>,
  { role }: Replica,
  replicas: readonly ReplicaPod[],
  context: JobContext,
): string | undefined {
  if (role.name !== 'Launcher' || options.generation === 'v1alpha1') return undefined;
  const hosts = reachableWorkers(options, replicas, context);
  const launcher = replicas.find((replica) => replica.role === role)?.pod;
  // There were none before either.
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
 * Headless and without ports, for DNS names only. Upstream's Service has a selector; an existing one keeps it, and
 * Kubernetes manages its endpoints.
 */
function service(
  { name, serviceName, launcherComputes }: MPIOptions,
  replicas: readonly ReplicaPod[],
): DesiredResource<Service> {
  // A launcher that runs processes itself has to resolve its own name before it is ready.
  const how = { publishNotReadyAddresses: launcherComputes };
  return {
    resource: SERVICES,
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: serviceName, labels: { app: name } },
      // The default of a Service without a selector, RequireDualStack, keeps upstream's operator from taking the job over: it adds a selector,
      // and clusters with one family refuse both together.
      spec: { clusterIP: 'None', ipFamilyPolicy: 'SingleStack', ...how },
    },
    endpoints: { replicas, seeker: 'Launcher' },
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
 * An account in the launcher's template belongs to the user: it is bound, but not created or deleted. Rights on pods
 * are granted only when these pods are the job's.
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

/** Created once and never changed, because running pods have the keys mounted. */
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
