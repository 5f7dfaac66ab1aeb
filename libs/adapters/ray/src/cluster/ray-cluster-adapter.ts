/**
 * The adapter of RayCluster. Rules follow ray-project/kuberay v1.7,
 * ray-operator/controllers/ray/raycluster_controller.go; docs/administrators/differences/ray.md lists intended differences.
 *
 * A cluster never ends by itself: it is Running once all its pods have been ready together, and lost pods are
 * recreated.
 */
import type {
  ElasticBounds,
  FrameworkAdapter,
  Outcome,
  PodAdditions,
  Replica,
  ReplicaRole,
  RoleTally,
} from '@muster/common-job-controller';
import {
  ANNOTATIONS,
  MANAGED_BY_KUBERAY,
  MAX_REPLICAS,
  RAY_CLUSTERS,
  type Pod,
  type RayCluster,
  type RunPolicy,
  rayClusterDefinition,
} from '@muster/job-api';
import { hasAutoscaler } from '../autoscaler/autoscaler-version.ts';
import {
  isOfService,
  originLabels,
  RAY_ANNOTATIONS,
  RAY_LABELS,
  REDIS_CLEANUP_FINALIZER,
} from '../model/ray-labels.ts';
import { leastPods, workerCounts } from '../status/desired-resources.ts';
import { clusterWarnings } from '../model/cluster-warnings.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { ignoredClusterFields } from '../model/ignored-fields.ts';
import { rayClusterProblems } from '../model/ray-problems.ts';
import { podAnnotations, rayPodSpec } from '../pods/ray-pod.ts';
import { addedHeadPorts } from '../services/head-ports.ts';
import { hasRedis, redisCleanupStep } from './redis-cleanup-step.ts';
import { clusterObjects, clusterSecrets, RAY_CLUSTER_KINDS, RAY_CLUSTER_PERMISSIONS } from './cluster-objects.ts';
import {
  HEAD_ROLE,
  groupOfRole,
  readCluster,
  type RayClusterOptions,
  type RayTrainingJob,
} from './ray-cluster-roles.ts';
import { rayLabels } from './ray-cluster-labels.ts';
import { clusterModel, DEFAULT_RAY_SETTINGS, recordedSettings, type RaySettings } from './ray-settings.ts';
import { restampedHash, restampedVersion } from './recreation.ts';
import { inheritedRecord } from './legacy-record.ts';
import { RAY_CLUSTER_GAUGES } from './ray-cluster-gauges.ts';
import { rayClusterStatus } from './ray-cluster-status.ts';
import { RAY_CLUSTER_DIFFERENCES } from '../ray-documented.ts';

export function rayClusterAdapter(
  overrides: Partial<RaySettings> = {},
): FrameworkAdapter<RayCluster, RayClusterOptions> {
  const settings = { ...DEFAULT_RAY_SETTINGS, ...overrides };
  return {
    resource: RAY_CLUSTERS,
    definition: rayClusterDefinition,
    framework: 'ray',
    documented: RAY_CLUSTER_DIFFERENCES,
    madeWith: recordedSettings(overrides),
    installHint: 'npx muster crds ray | kubectl apply -f -',
    labels: rayLabels,
    lifecycle: {
      managers: [MANAGED_BY_KUBERAY],
      hasBackoffLimit: false,
      runPolicy: ({ metadata, spec }) => ({
        suspend: spec.suspend ?? false,
        ...schedulingPolicy(metadata?.labels),
        ...(spec.managedBy !== undefined && { managedBy: spec.managedBy }),
      }),
    },
    problems: rayClusterProblems,
    warnings: (manifest) => [...ignoredClusterFields(manifest), ...clusterWarnings(clusterModel(manifest, settings))],
    read: (manifest) => readCluster(manifest, clusterModel(manifest, settings)),
    pod: additions,
    outcome,
    scheduling: {
      // A head that must not be recreated stays lost, and its workers keep running.
      mayStart: ({ options }, role) => role.name !== HEAD_ROLE || !options.isHeadFinal,
      leastReplicas,
    },
    elastic: { bounds: ({ options: { cluster } }) => elasticBounds(cluster) },
    // Ended pods are recreated whatever the template's policy, except for a head that must not be recreated.
    failures: {
      scopeOf: ({ options }, { role }) => (role.name === HEAD_ROLE && options.isHeadFinal ? undefined : 'Replica'),
    },
    ownedResources: {
      kinds: RAY_CLUSTER_KINDS,
      desired: ({ options }, replicas, context) => clusterObjects(options.cluster, replicas, context),
      ensured: ({ options }) => clusterSecrets(options.cluster),
      permissions: RAY_CLUSTER_PERMISSIONS,
    },
    podAnnotations: {
      [RAY_ANNOTATIONS.recreateHash]: { value: restampedHash },
      [RAY_ANNOTATIONS.kuberayVersion]: { value: restampedVersion },
      [ANNOTATIONS.headPorts]: { value: (job, replica, _replicas, context) => addedHeadPorts(job, replica, context) },
    },
    podLabels: { of: ({ options: { cluster } }, { pods }) => labelledForService(cluster, pods) },
    status: { recordIn: 'muster', inherited: inheritedRecord, encode: rayClusterStatus },
    gauges: RAY_CLUSTER_GAUGES,
    finalize: {
      name: REDIS_CLEANUP_FINALIZER,
      isNeeded: (manifest) => hasRedis(clusterModel(manifest as RayCluster, settings)),
      step: redisCleanupStep,
    },
  };
}

/** Pods that KubeRay created lack the labels by which a RayService finds its pods. */
function labelledForService(cluster: ClusterModel, pods: readonly Pod[]) {
  if (!isOfService(cluster)) return [];
  const labels = originLabels(cluster);
  const isOwn = ({ metadata }: Pod) => metadata?.labels?.[RAY_LABELS.cluster] === cluster.name;
  return pods.filter(isOwn).map((pod) => ({ pod, labels }));
}

function additions({ options: { cluster } }: RayTrainingJob, { role }: Replica): PodAdditions {
  const group = groupOfRole(cluster, role);
  return { annotations: podAnnotations(cluster, group), shape: (spec) => rayPodSpec(cluster, group, spec) };
}

/** The number of pods for a gang scheduler. An autoscaler may delete workers beyond its minimum. */
function leastReplicas({ options: { cluster, isHeadFinal } }: RayTrainingJob, role: ReplicaRole): number {
  const group = groupOfRole(cluster, role);
  if (group.kind === 'head') return isHeadFinal ? 0 : 1;
  return hasAutoscaler(cluster) ? leastPods(group) : role.replicas;
}

/** The workers' bounds, if Ray's autoscaler changes their number. */
function elasticBounds(cluster: ClusterModel): ElasticBounds | undefined {
  if (!hasAutoscaler(cluster)) return undefined;
  const { minWorkerReplicas: min, maxWorkerReplicas: max } = workerCounts(cluster);
  return max < MAX_REPLICAS ? { min, max } : { min };
}

/** Queue and priority of a gang, from KubeRay's labels. */
function schedulingPolicy(labels: Readonly<Record<string, string>> = {}): Pick<RunPolicy, 'schedulingPolicy'> {
  const { [RAY_LABELS.queue]: queue, [RAY_LABELS.priorityClass]: priorityClass } = labels;
  if (queue === undefined && priorityClass === undefined) return {};
  return { schedulingPolicy: { ...(queue && { queue }), ...(priorityClass && { priorityClass }) } };
}

function outcome({ metadata }: RayTrainingJob, tallies: readonly RoleTally[]): Outcome {
  const isReady = tallies.every(({ role, ready }) => ready >= role.replicas);
  if (!isReady) return { phase: 'Pending' };
  return { phase: 'Running', message: `All pods of RayCluster ${metadata.name} are running and ready.` };
}
