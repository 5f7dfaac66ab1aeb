/** Labels, annotations and finalizers exactly as in KubeRay, for its users, dashboards and `kubectl ray`. */
import { ANNOTATIONS, type PodTemplateSpec } from '@muster/job-api';
import type { ClusterModel, RayGroup } from './ray-cluster-model.ts';
import { podIdentifier } from './names.ts';

export const RAY_LABELS = {
  /** `yes` on every pod of a cluster. */
  isRayNode: 'ray.io/is-ray-node',
  /** The cluster's name. */
  cluster: 'ray.io/cluster',
  /** `head` or `worker`; on the clean-up pod of Redis {@link REDIS_CLEANUP}. */
  nodeType: 'ray.io/node-type',
  /** `headgroup`, or the name of the worker group. */
  group: 'ray.io/group',
  identifier: 'ray.io/identifier',
  /** On a worker: the index of its replica in the group, from 0. A recreated replica has the index of the lost one. */
  replicaIndex: 'ray.io/worker-group-replica-index',
  /** On a worker of several hosts: the unique name of its replica. */
  replicaName: 'ray.io/worker-group-replica-name',
  /** On a worker of several hosts: the index of its host in the replica, from 0. */
  hostIndex: 'ray.io/replica-host-index',
  /** On the headless Service of multi-host groups: the cluster's name. */
  headlessService: 'ray.io/headless-worker-svc',
  /** On a cluster of a RayJob: the RayJob's name. */
  originName: 'ray.io/originated-from-cr-name',
  /** On a cluster that belongs to an object of another kind: that kind. */
  originKind: 'ray.io/originated-from-crd',
  /** On a pod of a RayService's cluster: `true` if it gets requests. On its Service: the name of the Service. */
  serve: 'ray.io/serve',
  /** On a RayJob of a RayCronJob: the RayCronJob's name. */
  cronJob: 'ray.io/cronjob-name',
  /** On a cluster, or its RayJob: the queue of its pod group under Volcano. */
  queue: 'volcano.sh/queue-name',
  /** On a cluster, or its RayJob: the priority class of its pod group. */
  priorityClass: 'ray.io/priority-class-name',
  appName: 'app.kubernetes.io/name',
  createdBy: 'app.kubernetes.io/created-by',
  managedBy: 'app.kubernetes.io/managed-by',
} as const;

/** The value of {@link RAY_LABELS}`.nodeType` on the clean-up pod of Redis. */
export const REDIS_CLEANUP = 'redis-cleanup';

export const RAY_ANNOTATIONS = {
  /** On the head: it has GCS fault tolerance. On a cluster: `true` requests it, with Redis. */
  ftEnabled: 'ray.io/ft-enabled',
  /** On the head and on a cluster: the namespace of its data in Redis. */
  externalStorageNamespace: 'ray.io/external-storage-namespace',
  /** On a pod: the origin of its hash. See {@link KUBERAY_VERSION}. */
  kuberayVersion: 'ray.io/kuberay-version',
  /** On a pod: the hash of the spec from which it was created. */
  recreateHash: 'ray.io/upgrade-strategy-recreate-hash',
  /** On a cluster or in a template: `true` keeps the command of the Ray container. */
  overwriteCommand: 'ray.io/overwrite-container-cmd',
  /** On a cluster: with `true` a head that was ready before is not recreated. */
  disableHeadRestart: 'ray.io/disable-provisioned-head-restart',
  /** On a cluster: how many seconds its deletion waits for the clean-up of Redis. */
  gcsFtDeletionTimeout: 'ray.io/gcs-ft-deletion-timeout',
  /** On a RayJob of a RayCronJob: its scheduled time. */
  scheduledTimestamp: 'ray.io/cronjob-scheduled-timestamp',
  /** On a RayService: the time in which it has to become ready. */
  initializingTimeout: 'ray.io/initializing-timeout',
  /** On a cluster of a RayService: the hash of the spec from which it was created. See {@link KUBERAY_VERSION}. */
  specHash: 'ray.io/hash-without-replicas-and-workers-to-delete',
  /** On a cluster of a RayService: the number of worker groups in that spec. */
  workerGroups: 'ray.io/num-worker-groups',
  /** On a cluster: its pods are resized in place by the autoscaler, within these limits. */
  inPlaceResize: 'ray.io/ippr',
} as const;

/** Blocks the deletion of a cluster until its data in Redis is deleted. */
export const REDIS_CLEANUP_FINALIZER = 'ray.io/gcs-ft-redis-cleanup-finalizer';

/**
 * The value of {@link RAY_ANNOTATIONS}`.kuberayVersion` on Muster's pods: not a version of KubeRay, whose hashes are
 * computed differently. It changes only with Muster's hash function.
 */
export const KUBERAY_VERSION = 'muster';

/** On all objects of a cluster other than pods. */
export function clusterLabels({ name }: Pick<ClusterModel, 'name'>): Record<string, string> {
  return {
    [RAY_LABELS.cluster]: name,
    [RAY_LABELS.appName]: 'kuberay',
    [RAY_LABELS.createdBy]: 'kuberay-operator',
    [RAY_LABELS.managedBy]: 'muster',
  };
}

/** Selects a group's pods; templates and groups cannot override these labels. */
export function podSelector({ name }: ClusterModel, group: RayGroup): Record<string, string> {
  return { [RAY_LABELS.cluster]: name, [RAY_LABELS.nodeType]: group.kind, [RAY_LABELS.group]: group.name };
}

/** `group.spec.labels` override the template's labels, which override Muster's, except for {@link podSelector}. */
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
    ...serveLabel(cluster, group),
    ...podSelector(cluster, group),
  };
}

/** Whether the cluster belongs to a RayService. */
export function isOfService({ labels }: Pick<ClusterModel, 'labels'>): boolean {
  return labels[RAY_LABELS.originKind] === 'RayService';
}

/** Whether the worker has a proxy of Ray Serve, as far as the service's config says. */
export function hasServeProxy({ annotations }: Pick<ClusterModel, 'annotations'>): boolean {
  return annotations[ANNOTATIONS.serveProxies] !== HEAD_ONLY;
}

/** The value of the annotation {@link ANNOTATIONS}`.serveProxies`. */
export const HEAD_ONLY = 'HeadOnly';

/** At birth. The label of a head follows the health of its proxy. */
function serveLabel(cluster: ClusterModel, group: RayGroup): Record<string, string> {
  if (!isOfService(cluster)) return {};
  return { [RAY_LABELS.serve]: String(group.kind === 'worker' && hasServeProxy(cluster)) };
}

/** For a cluster of another kind: the labels of its origin. */
export function originLabels({ labels }: Pick<ClusterModel, 'labels'>): Record<string, string> {
  const { [RAY_LABELS.originKind]: kind, [RAY_LABELS.originName]: name } = labels;
  if (kind === undefined || name === undefined) return {};
  return { [RAY_LABELS.originKind]: kind, [RAY_LABELS.originName]: name };
}
