/**
 * The names by which KubeRay's users, dashboards and `kubectl ray` know the objects of a cluster: labels, annotations and
 * finalizers, literally as KubeRay writes them.
 */
import type { PodTemplateSpec } from '@muster/job-api';
import type { ClusterModel, RayGroup } from './ray-cluster-model.ts';
import { podIdentifier } from './names.ts';

export const RAY_LABELS = {
  /** `yes` on every pod of a cluster. */
  isRayNode: 'ray.io/is-ray-node',
  /** The cluster's name. */
  cluster: 'ray.io/cluster',
  /** `head` or `worker`; on the pod that cleans Redis up, {@link REDIS_CLEANUP}. */
  nodeType: 'ray.io/node-type',
  /** `headgroup`, or the name of the worker group. */
  group: 'ray.io/group',
  identifier: 'ray.io/identifier',
  /** On a worker: which replica of its group it is of, from 0. A replica made in place of a lost one has its number. */
  replicaIndex: 'ray.io/worker-group-replica-index',
  /** On a worker of several hosts: the name of its replica, which no other replica ever has. */
  replicaName: 'ray.io/worker-group-replica-name',
  /** On a worker of several hosts: which host of its replica it is, from 0. */
  hostIndex: 'ray.io/replica-host-index',
  /** On the headless Service of multi-host groups: the cluster's name. */
  headlessService: 'ray.io/headless-worker-svc',
  /** On a cluster that a RayJob has made: the RayJob's name. */
  originName: 'ray.io/originated-from-cr-name',
  /** On a cluster that another kind has made: that kind. */
  originKind: 'ray.io/originated-from-crd',
  /** On a cluster, or the RayJob that makes it: the queue of its pod group under Volcano. */
  queue: 'volcano.sh/queue-name',
  /** On the same: the priority class of its pod group. */
  priorityClass: 'ray.io/priority-class-name',
  appName: 'app.kubernetes.io/name',
  createdBy: 'app.kubernetes.io/created-by',
  managedBy: 'app.kubernetes.io/managed-by',
} as const;

/** The value of {@link RAY_LABELS}`.nodeType` on the pod that cleans Redis up. */
export const REDIS_CLEANUP = 'redis-cleanup';

export const RAY_ANNOTATIONS = {
  /** On the head: whether it has GCS fault tolerance. On a cluster: `true` asks for it, with Redis. */
  ftEnabled: 'ray.io/ft-enabled',
  /** On the head and on a cluster: the name under which its data stands in Redis. */
  externalStorageNamespace: 'ray.io/external-storage-namespace',
  /** On a pod: by whose rule its hash was made. See {@link KUBERAY_VERSION}. */
  kuberayVersion: 'ray.io/kuberay-version',
  /** On a pod: the hash of the spec that it was made from. */
  recreateHash: 'ray.io/upgrade-strategy-recreate-hash',
  /** On a cluster or in a template: `true` leaves the command of the Ray container as it is. */
  overwriteCommand: 'ray.io/overwrite-container-cmd',
  /** On a cluster: `true`: a head that has once been ready is not recreated. */
  disableHeadRestart: 'ray.io/disable-provisioned-head-restart',
  /** On a cluster: how many seconds its deletion waits for the clean-up of Redis. */
  gcsFtDeletionTimeout: 'ray.io/gcs-ft-deletion-timeout',
  /** On a cluster: its pods are resized in place by the autoscaler, within these limits. */
  inPlaceResize: 'ray.io/ippr',
} as const;

/** Where a cluster with Redis waits for its data there to be deleted. */
export const REDIS_CLEANUP_FINALIZER = 'ray.io/gcs-ft-redis-cleanup-finalizer';

/**
 * What stands in {@link RAY_ANNOTATIONS}`.kuberayVersion` on pods of Muster's: no version of KubeRay, whose hashes are made by
 * another rule. It changes only with the rule of Muster's own hash, never with a release.
 */
export const KUBERAY_VERSION = 'muster';

/** On everything that belongs to a cluster and is no pod. */
export function clusterLabels({ name }: Pick<ClusterModel, 'name'>): Record<string, string> {
  return {
    [RAY_LABELS.cluster]: name,
    [RAY_LABELS.appName]: 'kuberay',
    [RAY_LABELS.createdBy]: 'kuberay-operator',
    [RAY_LABELS.managedBy]: 'muster',
  };
}

/** By which a cluster's pods are found; no template and no group can have them otherwise. */
export function podSelector({ name }: ClusterModel, group: RayGroup): Record<string, string> {
  return { [RAY_LABELS.cluster]: name, [RAY_LABELS.nodeType]: group.kind, [RAY_LABELS.group]: group.name };
}

/**
 * The labels of a pod. Those of the template and, before them, of `group.spec.labels` go before Muster's, all but those of
 * {@link podSelector}.
 */
export function podLabels(
  cluster: ClusterModel,
  group: RayGroup,
  template: PodTemplateSpec = group.spec.template,
): Record<string, string> {
  return {
    [RAY_LABELS.isRayNode]: 'yes',
    [RAY_LABELS.identifier]: podIdentifier(cluster, group.kind),
    ...clusterLabels(cluster),
    ...originLabels(cluster),
    ...template.metadata?.labels,
    ...group.spec.labels,
    ...podSelector(cluster, group),
  };
}

/** Of a cluster that another kind has made: whose pods they are in the end. */
function originLabels({ labels }: ClusterModel): Record<string, string> {
  const { [RAY_LABELS.originKind]: kind, [RAY_LABELS.originName]: name } = labels;
  if (kind === undefined || name === undefined) return {};
  return { [RAY_LABELS.originKind]: kind, [RAY_LABELS.originName]: name };
}
