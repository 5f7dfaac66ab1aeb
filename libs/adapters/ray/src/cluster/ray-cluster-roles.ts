/** Reads a RayCluster as roles: its head, and each worker group. */
import type { ReplicaRole, TrainingJob } from '@muster/common-job-controller';
import type { PodTemplateSpec, RayCluster, RestartPolicy } from '@muster/job-api';
import { hasAutoscaler, neverRestartsInPlace } from '../autoscaler/autoscaler-version.ts';
import { isTrue } from '../model/cluster-annotations.ts';
import { podNamePrefix } from '../model/names.ts';
import {
  HEAD_GROUP,
  headGroup,
  rayContainerOf,
  workerGroups,
  type ClusterModel,
  type RayGroup,
} from '../model/ray-cluster-model.ts';
import { RAY_ANNOTATIONS } from '../model/ray-labels.ts';
import { desiredPods } from '../status/desired-resources.ts';
import { isOfSpec } from './recreation.ts';
import { positionOf } from './replica-positions.ts';

export interface RayClusterOptions {
  readonly cluster: ClusterModel;
  /** A lost head is not recreated: the cluster was ready before, and its annotation requests that. */
  readonly isHeadFinal: boolean;
}

export type RayTrainingJob = TrainingJob<RayClusterOptions>;

/** Roles have the groups' names, as in the label `ray.io/group`. */
export const HEAD_ROLE = HEAD_GROUP;

export function readCluster(manifest: RayCluster, cluster: ClusterModel): Pick<RayTrainingJob, 'roles' | 'options'> {
  const roles = [headGroup(cluster), ...workerGroups(cluster)].map((group) => roleOf(cluster, group));
  const isFinal = isTrue(cluster.annotations[RAY_ANNOTATIONS.disableHeadRestart]) && wasProvisioned(manifest);
  return { roles, options: { cluster, isHeadFinal: isFinal } };
}

export function groupOfRole(cluster: ClusterModel, { name }: Pick<ReplicaRole, 'name'>): RayGroup {
  return workerGroups(cluster).find((group) => name !== HEAD_ROLE && group.name === name) ?? headGroup(cluster);
}

function wasProvisioned({ status }: RayCluster): boolean {
  return (
    status?.conditions?.some(({ type, status: holds }) => type === 'RayClusterProvisioned' && holds === 'True') ?? false
  );
}

function roleOf(cluster: ClusterModel, group: RayGroup): ReplicaRole {
  const { template } = group.spec;
  const isSuspended = group.kind === 'worker' && group.spec.suspend === true;
  return {
    name: group.name,
    template,
    restartPolicy: restartPolicyOf(cluster, template),
    endsByItself: false,
    mustNotEnd: true,
    containerName: rayContainerOf(template)?.name ?? '',
    identity: {
      kind: 'UniqueNames',
      prefix: podNamePrefix(cluster, group),
      // Two heads at once would be two clusters behind one Service, and two writers of one store.
      overlap: group.kind === 'worker',
      losesNamedOnly: group.kind === 'worker' && hasAutoscaler(cluster) && !isSuspended,
      isCurrent: (pod) => isOfSpec(cluster, pod),
      ...(group.kind === 'worker' && { positionOf }),
    },
    ...(group.kind === 'head'
      ? { replicas: 1 }
      : {
          replicas: desiredPods(group),
          podsPerReplica: group.spec.numOfHosts ?? 1,
          scaleDownFirst: group.spec.scaleStrategy?.workersToDelete ?? [],
        }),
  };
}

/** To Ray, a container that the kubelet restarts is a new node. */
function restartPolicyOf(cluster: ClusterModel, { spec }: PodTemplateSpec): RestartPolicy {
  if (neverRestartsInPlace(cluster)) return 'Never';
  const { restartPolicy } = spec ?? {};
  return restartPolicy === 'Never' || restartPolicy === 'OnFailure' ? restartPolicy : 'Always';
}
