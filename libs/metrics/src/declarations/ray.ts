/** KubeRay's metrics, by its names and labels (ray-operator/controllers/ray/metrics). */
import type { MetricSet } from '../declaration.ts';

const OF_AN_OBJECT = ['name', 'namespace', 'uid'] as const;

export const RAY = {
  clusterInfo: {
    type: 'gauge',
    name: 'kuberay_cluster_info',
    labels: [...OF_AN_OBJECT, 'owner_kind'],
    help: 'RayClusters, with the kind of what has made them.',
    unit: 'info',
    appears: 'There is a RayCluster.',
  },
  clusterProvisioned: {
    type: 'gauge',
    name: 'kuberay_cluster_condition_provisioned',
    labels: [...OF_AN_OBJECT, 'condition'],
    help: 'Whether all pods of a RayCluster have been ready together.',
    unit: 'info',
    values: { condition: { true: 'They have.', false: 'They have not yet.' } },
    appears: 'There is a RayCluster.',
  },
  clusterProvisionedDuration: {
    type: 'gauge',
    name: 'kuberay_cluster_provisioned_duration_seconds',
    labels: OF_AN_OBJECT,
    help: 'From the creation of a RayCluster, or its last suspension, until all of its pods were ready together.',
    unit: 'seconds',
    appears: 'All pods of a RayCluster have been ready together.',
  },
  jobInfo: {
    type: 'gauge',
    name: 'kuberay_job_info',
    labels: OF_AN_OBJECT,
    help: 'RayJobs.',
    unit: 'info',
    appears: 'There is a RayJob.',
  },
  jobDeploymentStatus: {
    type: 'gauge',
    name: 'kuberay_job_deployment_status',
    labels: [...OF_AN_OBJECT, 'deployment_status'],
    help: 'RayJobs, by how far they are.',
    unit: 'info',
    appears: 'There is a RayJob.',
  },
  jobExecutionDuration: {
    type: 'gauge',
    name: 'kuberay_job_execution_duration_seconds',
    labels: [...OF_AN_OBJECT, 'job_deployment_status', 'retry_count'],
    help: 'How long the last try of a RayJob that has ended took, from its start to its end.',
    unit: 'seconds',
    appears: 'A RayJob has ended.',
  },
} as const satisfies MetricSet;
