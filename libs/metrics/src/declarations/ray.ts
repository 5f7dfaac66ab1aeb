/** KubeRay's metrics, by its names and labels (ray-operator/controllers/ray/metrics). */
import type { MetricSet } from '../declaration.ts';

const OF_AN_OBJECT = ['name', 'namespace', 'uid'] as const;

export const RAY = {
  clusterInfo: {
    type: 'gauge',
    name: 'kuberay_cluster_info',
    labels: [...OF_AN_OBJECT, 'owner_kind'],
    help: 'RayClusters with the kind of their owner.',
    unit: 'info',
    appears: 'At least one RayCluster exists.',
  },
  clusterProvisioned: {
    type: 'gauge',
    name: 'kuberay_cluster_condition_provisioned',
    labels: [...OF_AN_OBJECT, 'condition'],
    help: 'Whether all pods of a RayCluster have been ready at the same time.',
    unit: 'info',
    values: { condition: { true: 'All pods have been ready.', false: 'Not yet.' } },
    appears: 'At least one RayCluster exists.',
  },
  clusterProvisionedDuration: {
    type: 'gauge',
    name: 'kuberay_cluster_provisioned_duration_seconds',
    labels: OF_AN_OBJECT,
    help: 'Time from the creation of a RayCluster, or its last suspension, until all of its pods were ready at the same time.',
    unit: 'seconds',
    appears: 'All pods of a RayCluster have been ready at the same time.',
  },
  jobInfo: {
    type: 'gauge',
    name: 'kuberay_job_info',
    labels: OF_AN_OBJECT,
    help: 'RayJobs.',
    unit: 'info',
    appears: 'At least one RayJob exists.',
  },
  jobDeploymentStatus: {
    type: 'gauge',
    name: 'kuberay_job_deployment_status',
    labels: [...OF_AN_OBJECT, 'deployment_status'],
    help: 'RayJobs by jobDeploymentStatus.',
    unit: 'info',
    appears: 'At least one RayJob exists.',
  },
  jobExecutionDuration: {
    type: 'gauge',
    name: 'kuberay_job_execution_duration_seconds',
    labels: [...OF_AN_OBJECT, 'job_deployment_status', 'retry_count'],
    help: 'Duration of the last attempt of a finished RayJob.',
    unit: 'seconds',
    appears: 'A RayJob has finished.',
  },
  serviceInfo: {
    type: 'gauge',
    name: 'kuberay_service_info',
    labels: OF_AN_OBJECT,
    help: 'RayServices.',
    unit: 'info',
    appears: 'At least one RayService exists.',
  },
  serviceReady: {
    type: 'gauge',
    name: 'kuberay_service_condition_ready',
    labels: [...OF_AN_OBJECT, 'condition'],
    help: 'Whether a RayService has pods that get requests.',
    unit: 'info',
    values: { condition: { true: 'It has.', false: 'It has none.' } },
    appears: 'At least one RayService exists.',
  },
  serviceUpgradeInProgress: {
    type: 'gauge',
    name: 'kuberay_service_condition_upgrade_in_progress',
    labels: [...OF_AN_OBJECT, 'condition'],
    help: 'Whether a RayService has an active and a pending cluster.',
    unit: 'info',
    values: { condition: { true: 'It has both.', false: 'It has not.' } },
    appears: 'At least one RayService exists.',
  },
} as const satisfies MetricSet;
