/** The names of a cluster's objects: KubeRay's, but for its pods. */
import { createHash } from 'node:crypto';
import type { ClusterModel, RayGroup } from './ray-cluster-model.ts';

const LONGEST_CHECKED = 50;

/**
 * KubeRay's `CheckName`: the last 50 characters, and `r` in place of a first character that is a digit or a punctuation mark.
 * Names that differ only before that become one.
 */
export function checkedName(name: string): string {
  const end = name.slice(-LONGEST_CHECKED);
  return /^[\p{Nd}\p{P}]/u.test(end) ? `r${end.slice(1)}` : end;
}

/** The Service by which everybody finds the head. */
export function headServiceName({ name, spec }: ClusterModel): string {
  const users = spec.headGroupSpec.headService?.metadata?.name;
  return users === undefined || users === '' ? checkedName(`${name}-head-svc`) : users;
}

/** The head's Service in DNS, good anywhere in the Kubernetes cluster. */
export function headAddress(cluster: ClusterModel): string {
  return `${headServiceName(cluster)}.${cluster.namespace}.svc.${cluster.clusterDomain}`;
}

/** The Service by which the hosts of multi-host replicas find one another. */
export function headlessServiceName({ name }: ClusterModel): string {
  return `${name}-headless`;
}

export function headIngressName({ name }: ClusterModel): string {
  return `${name}-head-ingress`;
}

/** The autoscaler's ServiceAccount, Role and RoleBinding; the account only where the head's template names none. */
export function autoscalerName({ name }: ClusterModel): string {
  return checkedName(name);
}

/** The Secret of the token that Muster makes. */
export function authSecretName({ name }: ClusterModel): string {
  return checkedName(name);
}

/** The claim that Muster makes for RocksDB. */
export function gcsClaimName({ name }: ClusterModel): string {
  return `${name}-gcs-pvc`;
}

/** The Job that deletes a deleted cluster's data in Redis. */
export function redisCleanupName({ name }: ClusterModel): string {
  return shortened(`${name}-redis-cleanup`, LONGEST_LABEL);
}

export function networkPolicyName({ name }: ClusterModel, group: RayGroup): string {
  return group.kind === 'head' ? `${name}-head` : `${name}-workers-${group.name.toLowerCase()}`;
}

/** The value of the label `ray.io/identifier`. */
export function podIdentifier({ name }: ClusterModel, kind: RayGroup['kind']): string {
  return `${name}-${kind}`;
}

const LONGEST_LABEL = 63;

/** Room for a dash and the numbers of 99,999 pods: pods' names are their hosts' names as well. */
const LONGEST_PREFIX = 57;

/**
 * The names of a group's pods without `-<n>`: `<cluster>-head`, `<cluster>-<group>-worker`. Longer ones than fit are told apart
 * by a hash, so two groups or clusters never share one because theirs were shortened.
 */
export function podNamePrefix({ name }: ClusterModel, group: RayGroup): string {
  const whole = group.kind === 'head' ? `${name}-head` : `${name}-${group.name}-worker`;
  return shortened(whole, LONGEST_PREFIX);
}

/** The name of a group's replica that has several hosts: the value of a label. */
export function replicaName(group: string, ordinal: number): string {
  return `${shortened(group, LONGEST_PREFIX)}-${ordinal}`;
}

const HASH_LENGTH = 5;

/** In lower case, and with a hash of the whole in place of what is beyond `longest` characters. */
function shortened(name: string, longest: number): string {
  if (name.length <= longest) return name.toLowerCase();
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  const start = name.slice(0, longest - HASH_LENGTH - 1).replace(/[^a-z0-9]+$/i, '');
  return `${start}-${hash}`.toLowerCase();
}
