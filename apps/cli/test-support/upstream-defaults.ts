/**
 * Upstream's defaults of every optional field of every kind, from the code of Kubeflow's training-operator and MPI operator, KubeRay, and
 * Volcano's admission webhook. A test compares them with Muster's.
 */
import type { KubeObject } from '@muster/job-api';

/** The effect of an omitted field. */
export type Default =
  /** This value, upstream and here. `within` is merged into the spec first, if the field needs another one. */
  | { readonly same: unknown; readonly within?: object }
  /** Upstream this value, and here `ours`, if it can be written. The page contains the text `words`. */
  | { readonly upstream: unknown; readonly ours?: unknown; readonly page: string; readonly message: string }
  /** No effect: the feature is off. */
  | 'off'
  /** Only Muster has the field. */
  | 'muster';

type Defaults = Readonly<Record<string, Default>>;

export interface KindDefaults {
  /** A job with most of the objects that contain the fields. */
  readonly manifest: KubeObject & { readonly spec: object };
  /** By path in the spec, with `[Role]` for a key of a map and `[0]` for a place in a list. */
  readonly defaults: Defaults;
  /** Fields of other generations of the kind. */
  readonly unread?: readonly string[];
}

const EVERY_KIND = 'docs/administrators/differences/every-kind.md';
const MPI = 'docs/administrators/differences/mpijob.md';
const TF = 'docs/administrators/differences/tfjob.md';
const VOLCANO = 'docs/users/volcano.md';

const CLEAN_POD_POLICY = { upstream: 'None', ours: '', page: EVERY_KIND, message: '`cleanPodPolicy` unset' } as const;

/** @param pods the number of pods in the manifest */
function runPolicy(pods: number, managedBy = 'kubeflow.org/training-operator'): Defaults {
  return {
    runPolicy: { same: {} },
    'runPolicy.cleanPodPolicy': CLEAN_POD_POLICY,
    'runPolicy.ttlSecondsAfterFinished': 'off',
    'runPolicy.activeDeadlineSeconds': 'off',
    'runPolicy.startDeadlineSeconds': 'muster',
    'runPolicy.backoffLimit': 'off',
    'runPolicy.lostNodeTimeoutSeconds': 'muster',
    'runPolicy.progressDeadlineSeconds': 'muster',
    'runPolicy.schedulingPolicy': { same: {} },
    'runPolicy.schedulingPolicy.minAvailable': { same: pods },
    'runPolicy.schedulingPolicy.queue': { same: 'default' },
    // The sum of the pods' requests, which the manifest does not have.
    'runPolicy.schedulingPolicy.minResources': 'off',
    'runPolicy.schedulingPolicy.priorityClass': 'off',
    'runPolicy.schedulingPolicy.scheduleTimeoutSeconds': 'off',
    'runPolicy.suspend': { same: false },
    'runPolicy.failurePolicy': 'muster',
    'runPolicy.managedBy': { same: managedBy },
    'runPolicy.startOrder': 'muster',
  };
}

const containers = (name: string) => ({ spec: { containers: [{ name, image: 'registry.example/train:1' }] } });

function job(kind: string, spec: object, apiVersion = 'kubeflow.org/v1') {
  return { apiVersion, kind, metadata: { name: 'job', namespace: 'default' }, spec };
}

const PYTORCH: KindDefaults = {
  manifest: job('PyTorchJob', {
    elasticPolicy: {},
    pytorchReplicaSpecs: { Worker: { replicas: 2, template: containers('pytorch') } },
  }),
  defaults: {
    ...runPolicy(2),
    elasticPolicy: 'off',
    'elasticPolicy.minReplicas': { same: 2 },
    'elasticPolicy.maxReplicas': { same: 2 },
    'elasticPolicy.rdzvBackend': { same: 'c10d' },
    'elasticPolicy.rdzvPort': { same: 23456 },
    'elasticPolicy.rdzvHost': { same: 'job-worker-0' },
    'elasticPolicy.rdzvId': 'off',
    'elasticPolicy.rdzvConf': 'off',
    'elasticPolicy.standalone': { same: false },
    'elasticPolicy.nProcPerNode': 'off',
    'elasticPolicy.maxRestarts': 'off',
    'elasticPolicy.monitorInterval': 'muster',
    'elasticPolicy.startMethod': 'muster',
    'elasticPolicy.fitToCapacity': 'muster',
    'elasticPolicy.metrics': 'off',
    nprocPerNode: { same: 'auto' },
    'pytorchReplicaSpecs[Worker].replicas': { same: 1 },
    'pytorchReplicaSpecs[Worker].restartPolicy': { same: 'OnFailure' },
  },
};

const TENSORFLOW: KindDefaults = {
  manifest: job('TFJob', {
    tfReplicaSpecs: {
      PS: { replicas: 1, template: containers('tensorflow') },
      Worker: { replicas: 2, template: containers('tensorflow') },
    },
  }),
  defaults: {
    ...runPolicy(3),
    'runPolicy.cleanPodPolicy': { ...CLEAN_POD_POLICY, page: TF, message: 'parameter servers at the end' },
    successPolicy: { same: '' },
    enableDynamicWorker: { same: false },
    'tfReplicaSpecs[Worker].replicas': { same: 1 },
    'tfReplicaSpecs[Worker].restartPolicy': { same: 'Never' },
  },
};

const MXNET: KindDefaults = {
  manifest: job('MXJob', {
    jobMode: 'MXTrain',
    mxReplicaSpecs: {
      Scheduler: { replicas: 1, template: containers('mxnet') },
      Server: { replicas: 1, template: containers('mxnet') },
      Worker: { replicas: 2, template: containers('mxnet') },
    },
  }),
  defaults: {
    ...runPolicy(4),
    'mxReplicaSpecs[Worker].replicas': { same: 1 },
    'mxReplicaSpecs[Worker].restartPolicy': { same: 'Never' },
  },
};

const XGBOOST: KindDefaults = {
  manifest: job('XGBoostJob', {
    xgbReplicaSpecs: {
      Master: { replicas: 1, template: containers('xgboost') },
      Worker: { replicas: 2, template: containers('xgboost') },
    },
  }),
  defaults: {
    ...runPolicy(3),
    'xgbReplicaSpecs[Worker].replicas': { same: 1 },
    'xgbReplicaSpecs[Worker].restartPolicy': { same: 'Never' },
  },
};

const JAX: KindDefaults = {
  manifest: job('JAXJob', {
    jaxReplicaSpecs: {
      Worker: { replicas: 2, template: containers('jax') },
    },
  }),
  defaults: {
    ...runPolicy(2),
    'jaxReplicaSpecs[Worker].replicas': { same: 1 },
    'jaxReplicaSpecs[Worker].restartPolicy': { same: 'Never' },
  },
};

const PADDLE: KindDefaults = {
  manifest: job('PaddleJob', {
    elasticPolicy: {},
    paddleReplicaSpecs: {
      Master: { replicas: 1, template: containers('paddle') },
      Worker: { replicas: 2, template: containers('paddle') },
    },
  }),
  defaults: {
    ...runPolicy(3),
    elasticPolicy: 'off',
    'elasticPolicy.minReplicas': { same: 2 },
    'elasticPolicy.maxReplicas': { same: 2 },
    'elasticPolicy.maxRestarts': 'off',
    'elasticPolicy.metrics': 'off',
    'paddleReplicaSpecs[Worker].replicas': { same: 1 },
    'paddleReplicaSpecs[Worker].restartPolicy': { same: 'OnFailure' },
  },
};

const MPI_ROLES = {
  Launcher: { template: containers('mpi') },
  Worker: { replicas: 2, template: containers('mpi') },
};

const V1ALPHA1_FIELDS = [
  'gpus',
  'gpusPerNode',
  'processingUnits',
  'processingUnitsPerNode',
  'processingResourceType',
  'replicas',
  'template',
  'launcherOnMaster',
  'backoffLimit',
  'activeDeadlineSeconds',
];
const V2BETA1_FIELDS = ['mpiImplementation', 'runLauncherAsWorker', 'launcherCreationPolicy', 'sshAuthMountPath'];
const V1_FIELDS = ['cleanPodPolicy', 'mainContainer'];

const SIZE_OF_WORKER = { upstream: 0, ours: 1, page: MPI, message: 'a Worker without `replicas`' };

const MPI_V2BETA1: KindDefaults = {
  manifest: job('MPIJob', { mpiReplicaSpecs: MPI_ROLES }, 'kubeflow.org/v2beta1'),
  defaults: {
    ...runPolicy(3, 'kubeflow.org/mpi-operator'),
    apiGeneration: { same: 'v2beta1' },
    'runPolicy.cleanPodPolicy': { ...CLEAN_POD_POLICY, page: MPI },
    slotsPerWorker: { same: 1 },
    'mpiReplicaSpecs[Launcher].replicas': { same: 1 },
    'mpiReplicaSpecs[Launcher].restartPolicy': { same: 'OnFailure' },
    'mpiReplicaSpecs[Worker].replicas': SIZE_OF_WORKER,
    'mpiReplicaSpecs[Worker].restartPolicy': { same: 'Never' },
    mpiImplementation: { same: 'OpenMPI' },
    runLauncherAsWorker: { same: false },
    launcherCreationPolicy: { same: 'AtStartup' },
    sshAuthMountPath: { same: '/root/.ssh' },
  },
  unread: [...V1ALPHA1_FIELDS, ...V1_FIELDS, 'mpiReplicaSpecs'],
};

const MPI_V1: KindDefaults = {
  manifest: job('MPIJob', { mpiReplicaSpecs: MPI_ROLES }),
  defaults: {
    ...runPolicy(3),
    apiGeneration: { same: 'v1' },
    'runPolicy.schedulingPolicy.minAvailable': { upstream: 3, ours: 2, page: MPI, message: 'counts the workers' },
    'runPolicy.cleanPodPolicy': { ...CLEAN_POD_POLICY, page: MPI },
    cleanPodPolicy: { ...CLEAN_POD_POLICY, page: MPI },
    slotsPerWorker: { same: 1 },
    'mpiReplicaSpecs[Launcher].replicas': { same: 1 },
    'mpiReplicaSpecs[Launcher].restartPolicy': { same: 'Never' },
    'mpiReplicaSpecs[Worker].replicas': SIZE_OF_WORKER,
    'mpiReplicaSpecs[Worker].restartPolicy': { same: 'Never' },
    mainContainer: 'off',
  },
  unread: [...V1ALPHA1_FIELDS, ...V2BETA1_FIELDS, 'mpiReplicaSpecs'],
};

const MPI_V1ALPHA1: KindDefaults = {
  manifest: job('MPIJob', { gpus: 16, template: containers('mpi') }, 'kubeflow.org/v1alpha1'),
  defaults: {
    ...runPolicy(2),
    apiGeneration: { same: 'v1alpha1' },
    'runPolicy.schedulingPolicy.minAvailable': { upstream: 16, ours: 15, page: MPI, message: 'counts the workers' },
    'runPolicy.cleanPodPolicy': { ...CLEAN_POD_POLICY, page: MPI },
    // The number of a worker's units: 1 GPU on each node.
    slotsPerWorker: { same: 1 },
    // Required upstream by a rule.
    template: 'off',
    gpus: 'off',
    gpusPerNode: { same: 1 },
    processingUnits: 'off',
    processingUnitsPerNode: { same: 1 },
    processingResourceType: { same: 'nvidia.com/gpu' },
    replicas: 'off',
    launcherOnMaster: { same: false },
    backoffLimit: { same: 6 },
    activeDeadlineSeconds: 'off',
  },
  unread: [
    ...V1_FIELDS,
    ...V2BETA1_FIELDS,
    'mpiReplicaSpecs',
    'mpiReplicaSpecs[*].replicas',
    'mpiReplicaSpecs[*].restartPolicy',
  ],
};

const RAY_SPEC = {
  rayVersion: '2.52.0',
  headGroupSpec: { template: containers('ray-head') },
  workerGroupSpecs: [
    { groupName: 'small', replicas: 1, minReplicas: 1, maxReplicas: 3, template: containers('ray-worker') },
  ],
};
const AUTOSCALED = { enableInTreeAutoscaling: true };
const REDIS = { gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } };
const ROCKSDB = { gcsFaultToleranceOptions: { backend: 'rocksdb', storage: {} } };

const RAY_CLUSTER: KindDefaults = {
  manifest: job('RayCluster', RAY_SPEC, 'ray.io/v1'),
  defaults: {
    rayVersion: 'off',
    'headGroupSpec.rayStartParams': { same: {} },
    'headGroupSpec.resources': 'off',
    'headGroupSpec.labels': 'off',
    // The Service has no type then, which the API server reads as ClusterIP.
    'headGroupSpec.serviceType': 'off',
    'headGroupSpec.headService': 'off',
    'headGroupSpec.enableIngress': { same: false },
    'headGroupSpec.ingressOptions': 'off',
    workerGroupSpecs: { same: [] },
    'workerGroupSpecs[0].replicas': { same: 0 },
    'workerGroupSpecs[0].minReplicas': { same: 0 },
    'workerGroupSpecs[0].maxReplicas': { same: 2147483647 },
    'workerGroupSpecs[0].numOfHosts': { same: 1 },
    'workerGroupSpecs[0].suspend': { same: false },
    'workerGroupSpecs[0].idleTimeoutSeconds': 'off',
    'workerGroupSpecs[0].priority': 'off',
    'workerGroupSpecs[0].scaleStrategy': { same: {} },
    'workerGroupSpecs[0].scaleStrategy.workersToDelete': { same: [] },
    'workerGroupSpecs[0].rayStartParams': { same: {} },
    'workerGroupSpecs[0].resources': 'off',
    'workerGroupSpecs[0].labels': 'off',
    suspend: { same: false },
    managedBy: { same: 'ray.io/kuberay-operator' },
    enableInTreeAutoscaling: { same: false },
    autoscalerOptions: { same: {}, within: AUTOSCALED },
    'autoscalerOptions.version': 'off',
    'autoscalerOptions.idleTimeoutSeconds': 'off',
    'autoscalerOptions.upscalingMode': 'off',
    'autoscalerOptions.image': { same: 'registry.example/train:1', within: AUTOSCALED },
    'autoscalerOptions.imagePullPolicy': 'off',
    'autoscalerOptions.resources': {
      same: { limits: { cpu: '500m', memory: '512Mi' }, requests: { cpu: '500m', memory: '512Mi' } },
      within: AUTOSCALED,
    },
    'autoscalerOptions.securityContext': 'off',
    'autoscalerOptions.env': 'off',
    'autoscalerOptions.envFrom': 'off',
    'autoscalerOptions.volumeMounts': 'off',
    'autoscalerOptions.command': 'off',
    'autoscalerOptions.args': 'off',
    headServiceAnnotations: 'off',
    gcsFaultToleranceOptions: 'off',
    'gcsFaultToleranceOptions.backend': { same: 'redis', within: REDIS },
    'gcsFaultToleranceOptions.redisAddress': 'off',
    'gcsFaultToleranceOptions.redisUsername': 'off',
    'gcsFaultToleranceOptions.redisPassword': 'off',
    'gcsFaultToleranceOptions.externalStorageNamespace': 'off',
    'gcsFaultToleranceOptions.storage': { same: {}, within: ROCKSDB },
    'gcsFaultToleranceOptions.storage.claimName': 'off',
    'gcsFaultToleranceOptions.storage.size': { same: '1Gi', within: ROCKSDB },
    'gcsFaultToleranceOptions.storage.storageClassName': 'off',
    'gcsFaultToleranceOptions.storage.accessModes': { same: ['ReadWriteOnce'], within: ROCKSDB },
    'gcsFaultToleranceOptions.storage.subPath': 'off',
    'gcsFaultToleranceOptions.storage.deletionPolicy': { same: 'DeleteWithCluster', within: ROCKSDB },
    upgradeStrategy: 'off',
    'upgradeStrategy.type': { same: 'None', within: { upgradeStrategy: {} } },
    authOptions: 'off',
    'authOptions.mode': { same: 'token', within: { authOptions: {} } },
    'authOptions.secretName': 'off',
    'authOptions.enableK8sTokenAuth': { same: false, within: { authOptions: {} } },
    networkPolicy: 'off',
    'networkPolicy.mode': { same: 'DenyAll', within: { networkPolicy: {} } },
    'networkPolicy.head': 'off',
    'networkPolicy.worker': 'off',
    'networkPolicy.workerGroups': 'off',
    tlsOptions: 'off',
    historyServerOptions: 'off',
  },
};

const RAY_JOB: KindDefaults = {
  manifest: job('RayJob', { entrypoint: 'python train.py', jobId: 'job-abcde', rayClusterSpec: RAY_SPEC }, 'ray.io/v1'),
  defaults: {
    entrypoint: 'off',
    submissionMode: { same: 'K8sJobMode' },
    runtimeEnvYAML: 'off',
    jobId: 'off',
    metadata: 'off',
    entrypointNumCpus: 'off',
    entrypointNumGpus: 'off',
    entrypointResources: 'off',
    rayClusterSpec: 'off',
    clusterSelector: 'off',
    submitterPodTemplate: 'off',
    submitterConfig: { same: {} },
    'submitterConfig.backoffLimit': { same: 2, within: { submitterConfig: {} } },
    shutdownAfterJobFinishes: { same: false },
    ttlSecondsAfterFinished: { same: 0, within: { shutdownAfterJobFinishes: true } },
    activeDeadlineSeconds: 'off',
    preRunningDeadlineSeconds: 'off',
    backoffLimit: { same: 0 },
    suspend: { same: false },
    managedBy: { same: 'ray.io/kuberay-operator' },
    deletionStrategy: 'off',
    'deletionStrategy.deletionRules': 'off',
    'deletionStrategy.onSuccess': 'off',
    'deletionStrategy.onFailure': 'off',
  },
};

const VOLCANO_JOB: KindDefaults = {
  manifest: job(
    'Job',
    {
      plugins: { pytorch: [] },
      tasks: [
        { name: 'worker', replicas: 2, template: containers('main') },
        { name: 'helper', replicas: 1, dependsOn: { name: ['worker'] }, template: containers('main') },
      ],
    },
    'batch.volcano.sh/v1alpha1',
  ),
  defaults: {
    schedulerName: { same: 'volcano' },
    // The helper is created later, and no gang waits for it.
    minAvailable: { upstream: 3, ours: 2, page: VOLCANO, message: 'a task with `dependsOn`' },
    minSuccess: 'off',
    'tasks[1].name': { same: 'default1' },
    'tasks[1].replicas': { same: 0 },
    'tasks[0].minAvailable': { same: 2 },
    'tasks[0].policies': 'off',
    'tasks[0].maxRetry': 'off',
    'tasks[1].dependsOn': 'off',
    'tasks[1].dependsOn.name': 'off',
    'tasks[1].dependsOn.iteration': { same: 'all' },
    'tasks[0].topologyPolicy': { same: 'none' },
    'tasks[0].partitionPolicy': 'off',
    'tasks[0].partitionPolicy.minPartitions': 'off',
    plugins: 'off',
    policies: 'off',
    volumes: 'off',
    queue: { same: 'default' },
    maxRetry: { same: 3 },
    ttlSecondsAfterFinished: 'off',
    priorityClassName: 'off',
    runningEstimate: 'off',
    networkTopology: 'off',
  },
};

const RAY_CRON_JOB: KindDefaults = {
  manifest: job(
    'RayCronJob',
    { schedule: '0 3 1 1 *', jobTemplate: { entrypoint: 'python train.py', rayClusterSpec: RAY_SPEC } },
    'ray.io/v1',
  ),
  defaults: {
    timeZone: { same: 'UTC' },
    suspend: { same: false },
    concurrencyPolicy: 'muster',
    startingDeadlineSeconds: 'muster',
    successfulJobsHistoryLimit: 'muster',
    failedJobsHistoryLimit: 'muster',
  },
  // Those of a RayJob, above.
  unread: ['jobTemplate'],
};

const RAY_SERVICE: KindDefaults = {
  manifest: job('RayService', { serveConfigV2: 'applications: []', rayClusterConfig: RAY_SPEC }, 'ray.io/v1'),
  defaults: {
    serveService: 'off',
    excludeHeadPodFromServeSvc: { same: false },
    serveConfigV2: 'off',
    upgradeStrategy: 'off',
    'upgradeStrategy.type': { same: 'NewCluster', within: { upgradeStrategy: {} } },
    'upgradeStrategy.clusterUpgradeOptions': 'off',
    rayClusterDeletionDelaySeconds: { same: 60 },
    suspend: { same: false },
    managedBy: { same: 'ray.io/kuberay-operator' },
    serviceUnhealthySecondThreshold: 'off',
    deploymentUnhealthySecondThreshold: 'off',
  },
  // Those of a RayCluster, above.
  unread: ['rayClusterConfig'],
};

export const UPSTREAM_DEFAULTS: readonly KindDefaults[] = [
  PYTORCH,
  TENSORFLOW,
  MXNET,
  PADDLE,
  JAX,
  XGBOOST,
  MPI_V2BETA1,
  MPI_V1,
  MPI_V1ALPHA1,
  RAY_CLUSTER,
  RAY_JOB,
  RAY_CRON_JOB,
  RAY_SERVICE,
  VOLCANO_JOB,
];
