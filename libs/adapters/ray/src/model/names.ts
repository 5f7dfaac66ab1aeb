/** Names of a cluster's objects: KubeRay's, except for pods. */
import { createHash } from 'node:crypto';
import type { ClusterModel, RayGroup } from './ray-cluster-model.ts';

const LONGEST_CHECKED = 50;

/**
 * KubeRay's `CheckName`: the last 50 characters, and `r` instead of a first character that is a digit or punctuation.
 * Names that differ only before that become equal.
 */
export function checkedName(name: string): string {
  const end = name.slice(-LONGEST_CHECKED);
  return /^[\p{Nd}\p{P}]/u.test(end) ? `r${end.slice(1)}` : end;
}

export function headServiceName({ name, spec }: ClusterModel): string {
  const users = spec.headGroupSpec.headService?.metadata?.name;
  return users === undefined || users === '' ? checkedName(`${name}-head-svc`) : users;
}

/** The DNS name of the head's Service, in the whole Kubernetes cluster. */
export function headAddress(cluster: ClusterModel): string {
  return `${headServiceName(cluster)}.${cluster.namespace}.svc.${cluster.clusterDomain}`;
}

/** The Service for the hosts of multi-host replicas. */
export function headlessServiceName({ name }: ClusterModel): string {
  return `${name}-headless`;
}

export function headIngressName({ name }: ClusterModel): string {
  return `${name}-head-ingress`;
}

/** Also the account's name, unless the head's template names one. */
export function autoscalerName({ name }: ClusterModel): string {
  return checkedName(name);
}

export function authSecretName({ name }: ClusterModel): string {
  return checkedName(name);
}

export function gcsClaimName({ name }: ClusterModel): string {
  return `${name}-gcs-pvc`;
}

export function redisCleanupName({ name }: ClusterModel): string {
  return shortened(`${name}-redis-cleanup`, LONGEST_LABEL);
}

export function networkPolicyName({ name }: ClusterModel, group: RayGroup): string {
  return group.kind === 'head' ? `${name}-head` : `${name}-workers-${group.name.toLowerCase()}`;
}

export function podIdentifier({ name }: ClusterModel, kind: RayGroup['kind']): string {
  return `${name}-${kind}`;
}

const LONGEST_LABEL = 63;

/** Leaves room for a dash and the numbers of 99,999 pods: a pod's name is its host name as well. */
const LONGEST_PREFIX = 57;

/** `<cluster>-head`, `<cluster>-<group>-worker`. Longer names get a hash, so truncated ones differ. */
export function podNamePrefix({ name }: ClusterModel, group: RayGroup): string {
  const whole = group.kind === 'head' ? `${name}-head` : `${name}-${group.name}-worker`;
  return shortened(whole, LONGEST_PREFIX);
}

/** A label value: the name of a group's replica with several hosts. */
export function replicaName(group: string, ordinal: number): string {
  return `${shortened(group, LONGEST_PREFIX)}-${ordinal}`;
}

const HASH_LENGTH = 5;

/** In lower case; characters beyond `longest` are replaced by a hash of the whole name. */
function shortened(name: string, longest: number): string {
  if (name.length <= longest) return name.toLowerCase();
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  const start = name.slice(0, longest - HASH_LENGTH - 1).replace(/[^a-z0-9]+$/i, '');
  return `${start}-${hash}`.toLowerCase();
}
