/** A RayCluster and a RayJob as KubeRay 1.7 stores them: with its defaults, finalizers and status. */
import type { Manifest } from './admission-table.ts';
import { group, ray, rayCluster, rayJob, template } from './ray-manifests.ts';

const TIME = '2026-01-02T03:04:05Z';

const filledIn = (groupName: string) =>
  group(groupName, {
    replicas: 2,
    minReplicas: 0,
    maxReplicas: 2_147_483_647,
    numOfHosts: 1,
    priority: 0,
    rayStartParams: {},
    scaleStrategy: {},
    template: { ...template(), metadata: { creationTimestamp: null } },
  });

/** With fields that the schema does not describe, as Go clients write them. */
const headGroup = {
  rayStartParams: { 'dashboard-host': '0.0.0.0' },
  template: {
    metadata: { creationTimestamp: null, labels: { team: 'vision' } },
    spec: {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
      containers: [ray({ resources: { limits: { cpu: '1', memory: '5Gi' } } })],
      securityContext: { fsGroup: 1000 },
    },
  },
};

const condition = (type: string, status: string, reason: string) => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: TIME,
});

export const CLUSTER_STATUS_OF_KUBERAY = {
  state: 'ready',
  reason: '',
  desiredWorkerReplicas: 2,
  availableWorkerReplicas: 2,
  readyWorkerReplicas: 2,
  minWorkerReplicas: 0,
  maxWorkerReplicas: 2_147_483_647,
  desiredCPU: '3',
  desiredMemory: '7Gi',
  desiredGPU: '0',
  desiredTPU: '0',
  endpoints: { client: '10001', dashboard: '8265', 'gcs-server': '6379', metrics: '8080', serve: '8000' },
  head: {
    podIP: '10.0.0.7',
    podName: 'raycluster-head-x7k2p',
    serviceIP: '10.0.0.7',
    serviceName: 'raycluster-head-svc',
  },
  conditions: [
    condition('HeadPodReady', 'True', 'HeadPodRunningAndReady'),
    condition('RayClusterProvisioned', 'True', 'AllPodRunningAndReadyFirstTime'),
    condition('RayClusterSuspending', 'False', 'RayClusterSuspending'),
    condition('RayClusterSuspended', 'False', 'RayClusterSuspended'),
  ],
  lastUpdateTime: TIME,
  stateTransitionTimes: { ready: TIME },
  observedGeneration: 1,
};

export const JOB_STATUS_OF_KUBERAY = {
  jobId: 'rayjob-abcde',
  rayClusterName: 'rayjob-fghij',
  dashboardURL: 'rayjob-fghij-head-svc.default.svc.cluster.local:8265',
  jobStatus: 'RUNNING',
  jobDeploymentStatus: 'Running',
  message: 'Job is currently running.',
  startTime: TIME,
  succeeded: 0,
  failed: 0,
  rayJobInfo: { startTime: TIME },
  rayClusterStatus: CLUSTER_STATUS_OF_KUBERAY,
  observedGeneration: 2,
};

export const CLUSTER_OF_KUBERAY: Manifest = rayCluster(
  { rayVersion: '2.52.0', headGroupSpec: headGroup, workerGroupSpecs: [filledIn('small-group')] },
  'raycluster',
  { finalizers: ['ray.io/gcs-ft-redis-cleanup-finalizer'] },
);

export const JOB_OF_KUBERAY: Manifest = rayJob(
  {
    submissionMode: 'K8sJobMode',
    backoffLimit: 0,
    ttlSecondsAfterFinished: 0,
    rayClusterSpec: { rayVersion: '2.52.0', headGroupSpec: headGroup, workerGroupSpecs: [filledIn('small-group')] },
  },
  'rayjob',
  { finalizers: ['ray.io/rayjob-finalizer'] },
);
