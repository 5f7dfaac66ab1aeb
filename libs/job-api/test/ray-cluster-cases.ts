/** RayClusters that admission refuses or accepts. */
import { rayClusterDefinition } from '../src/ray-cluster.ts';
import { MANAGED_BY_KUBERAY } from '../src/ray-managed-by.ts';
import type { AcceptedManifest, AdmissionTable, RefusedManifest } from './admission-table.ts';
import { clusterSpec, group, head, ray, rayCluster, template, withUndescribedFields } from './ray-manifests.ts';
import { RAY_CLUSTER_SAMPLES } from './ray-cluster-samples.ts';

const withHead = (fields: object, rest: object = {}) => rayCluster({ headGroupSpec: head(fields), ...rest });
const withGroup = (fields: object, rest: object = {}) =>
  rayCluster({ workerGroupSpecs: [group('small', fields)], ...rest });
const withEnv = (name: string, rest: object = {}, value = 'x') =>
  withHead({ template: template([ray({ env: [{ name, value }] })]) }, rest);

const HEAD = 'spec.headGroupSpec';
const CONTAINERS = `${HEAD}.template.spec.containers`;
const GROUPS = 'spec.workerGroupSpecs';

const shapes: RefusedManifest[] = [
  {
    what: 'a cluster without spec',
    manifest: { apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata: { name: 'raycluster' } },
    path: 'spec',
    message: 'Required value',
  },
  {
    what: 'a cluster without head',
    manifest: { ...rayCluster(), spec: { workerGroupSpecs: [group('small')] } },
    path: HEAD,
    message: 'Required value',
  },
  {
    what: 'a head without template',
    manifest: rayCluster({ headGroupSpec: {} }),
    path: `${HEAD}.template`,
    message: 'Required value',
  },
  {
    what: 'a head without containers',
    manifest: withHead({ template: template([]) }),
    path: CONTAINERS,
    message: 'Required value: a container is needed',
  },
  {
    what: 'a worker without containers',
    manifest: withGroup({ template: template([]) }),
    path: `${GROUPS}[0].template.spec.containers`,
    message: 'Required value: a container is needed',
  },
  {
    what: 'a container without image',
    manifest: withGroup({ template: template([{ name: 'ray' }]) }),
    path: `${GROUPS}[0].template.spec.containers[0].image`,
    message: 'Required value: name the image',
  },
  {
    what: 'an unknown type of Service',
    manifest: withHead({ serviceType: 'Headless' }),
    path: `${HEAD}.serviceType`,
    message: 'Unsupported value: "Headless"',
  },
  {
    what: 'ports of the head Service that are no list',
    manifest: withHead({ headService: { spec: { ports: { name: 'http', port: 80 } } } }),
    path: `${HEAD}.headService.spec.ports`,
    message: 'must be of type array',
  },
  {
    what: 'options of ray start that are not strings',
    manifest: withHead({ rayStartParams: { 'num-cpus': 1 } }),
    path: `${HEAD}.rayStartParams[num-cpus]`,
    message: 'must be of type string',
  },
  {
    what: 'an unknown upgrade strategy',
    manifest: rayCluster({ upgradeStrategy: { type: 'RollingUpdate' } }),
    path: 'spec.upgradeStrategy.type',
    message: 'Unsupported value: "RollingUpdate": supported values: "None", "Recreate"',
  },
  {
    what: 'an unknown manager',
    manifest: rayCluster({ managedBy: 'kueue' }),
    path: 'spec.managedBy',
    message: 'Unsupported value: "kueue"',
  },
];

const groups: RefusedManifest[] = [
  ...['replicas', 'minReplicas', 'maxReplicas', 'idleTimeoutSeconds'].map((field) => ({
    what: `a negative ${field}`,
    manifest: withGroup({ [field]: -1 }),
    path: `${GROUPS}[0].${field}`,
    message: 'Invalid value: -1',
  })),
  {
    what: 'replicas without pods',
    manifest: withGroup({ numOfHosts: 0 }),
    path: `${GROUPS}[0].numOfHosts`,
    message: 'Invalid value: 0',
  },
  {
    what: 'a minReplicas above maxReplicas',
    manifest: withGroup({ minReplicas: 3, maxReplicas: 2 }),
    path: `${GROUPS}[0].minReplicas`,
    message: 'must not be greater than maxReplicas',
  },
  {
    what: 'a group without name',
    manifest: rayCluster({ workerGroupSpecs: [{ template: template() }] }),
    path: `${GROUPS}[0].groupName`,
    message: 'Required value',
  },
  ...['', 'small_group', '-small', 'small-'].map((groupName) => ({
    what: `a group named "${groupName}"`,
    manifest: withGroup({ groupName }),
    path: `${GROUPS}[0].groupName`,
    message: 'must be letters, digits, "-" and "."',
  })),
  {
    what: 'a group with the name of the head',
    manifest: withGroup({ groupName: 'headgroup' }),
    path: `${GROUPS}[0].groupName`,
    message: 'choose another name',
  },
  {
    what: 'a name of a group that is longer than a label',
    manifest: withGroup({ groupName: 'g'.repeat(64) }),
    path: `${GROUPS}[0].groupName`,
    message: '63',
  },
  {
    what: 'two groups of the same name',
    manifest: rayCluster({ workerGroupSpecs: [group('small'), group('large'), group('small')] }),
    path: GROUPS,
    message: 'two groups have the same name',
  },
  {
    what: 'two groups whose names differ only in case',
    manifest: rayCluster({ workerGroupSpecs: [group('small'), group('Small')] }),
    path: GROUPS,
    message: 'two groups have the same name',
  },
  {
    what: 'more groups than the limit',
    manifest: rayCluster({ workerGroupSpecs: Array.from({ length: 101 }, (_, index) => group(`g${index}`)) }),
    path: GROUPS,
    message: 'must have at most 100 items',
  },
  ...['num-cpus', 'num-gpus', 'memory', 'resources'].flatMap((param) => [
    {
      what: `resources of a group beside ${param} of ray start`,
      manifest: withGroup({ resources: { CPU: '2' }, rayStartParams: { [param]: '1' } }),
      path: `${GROUPS}[0].rayStartParams`,
      message: 'Forbidden: remove num-cpus, num-gpus, memory, resources',
    },
    {
      what: `resources of the head beside ${param} of ray start`,
      manifest: withHead({ resources: { CPU: '2' }, rayStartParams: { [param]: '1' } }),
      path: `${HEAD}.rayStartParams`,
      message: 'Forbidden: remove num-cpus, num-gpus, memory, resources',
    },
  ]),
  {
    what: 'labels among the options of ray start of a group',
    manifest: withGroup({ rayStartParams: { labels: 'zone=a' } }),
    path: `${GROUPS}[0].rayStartParams`,
    message: 'Forbidden: remove labels',
  },
  {
    what: 'labels among the options of ray start of the head',
    manifest: withHead({ rayStartParams: { labels: '' } }),
    path: `${HEAD}.rayStartParams`,
    message: 'Forbidden: remove labels',
  },
];

const AUTOSCALED = { enableInTreeAutoscaling: true };
const AUTOSCALED_GROUP = { ...AUTOSCALED, workerGroupSpecs: [group('small')] };
const V2 = { ...AUTOSCALED, autoscalerOptions: { version: 'v2' } };
const V2_VARIABLE = 'RAY_enable_autoscaler_v2';

const autoscaler: RefusedManifest[] = [
  {
    what: 'an autoscaler without a list of worker groups',
    manifest: rayCluster(AUTOSCALED),
    path: GROUPS,
    message: 'Required value: name the worker groups',
  },
  {
    what: 'a suspended group beside the autoscaler',
    manifest: withGroup({ suspend: true }, AUTOSCALED),
    path: GROUPS,
    message: 'Forbidden: a group cannot be suspended',
  },
  ...['1', 'true'].map((value) => ({
    what: `${V2_VARIABLE}=${value} without autoscaler`,
    manifest: withEnv(V2_VARIABLE, {}, value),
    path: CONTAINERS,
    message: 'Forbidden: set enableInTreeAutoscaling to true',
  })),
  {
    what: `${V2_VARIABLE} beside a version`,
    manifest: withEnv(V2_VARIABLE, V2, '0'),
    path: CONTAINERS,
    message: `Forbidden: remove ${V2_VARIABLE}`,
  },
  {
    what: 'a head with restarts by the kubelet, with autoscaler v2',
    manifest: withHead({ template: template([ray()], { restartPolicy: 'Always' }) }, V2),
    path: `${HEAD}.template.spec.restartPolicy`,
    message: 'must be Never',
  },
  {
    what: 'a worker with restarts by the kubelet, with autoscaler v2',
    manifest: withGroup({ template: template([ray()], { restartPolicy: 'OnFailure' }) }, V2),
    path: GROUPS,
    message: 'template.spec.restartPolicy of a group must be Never',
  },
  {
    what: 'an idle time of a group without autoscaler',
    manifest: withGroup({ idleTimeoutSeconds: 60 }, { rayVersion: '2.52.0' }),
    path: GROUPS,
    message: 'Forbidden: idleTimeoutSeconds of a group needs autoscaler v2',
  },
  {
    what: 'an idle time of a group with autoscaler v1',
    manifest: withGroup(
      { idleTimeoutSeconds: 60 },
      { ...AUTOSCALED, rayVersion: '2.52.0', autoscalerOptions: { version: 'v1' } },
    ),
    path: GROUPS,
    message: 'Forbidden: idleTimeoutSeconds of a group needs autoscaler v2',
  },
  {
    what: 'an idle time of a group with a release whose autoscaler is v1',
    manifest: withGroup({ idleTimeoutSeconds: 60 }, { ...AUTOSCALED, rayVersion: '2.46.0' }),
    path: GROUPS,
    message: 'Forbidden: idleTimeoutSeconds of a group needs autoscaler v2',
  },
  {
    what: 'a priority with a release that does not support it',
    manifest: withGroup({ priority: 1 }, { ...V2, rayVersion: '2.55.1' }),
    path: GROUPS,
    message: 'Forbidden: priority of a group needs autoscaler v2 and rayVersion 2.56.0',
  },
  {
    what: 'a priority without autoscaler',
    manifest: withGroup({ priority: 1 }, { rayVersion: '2.56.0' }),
    path: GROUPS,
    message: 'Forbidden: priority of a group needs autoscaler v2',
  },
  {
    what: 'a negative idle time',
    manifest: rayCluster({ ...AUTOSCALED, autoscalerOptions: { idleTimeoutSeconds: -1 } }),
    path: 'spec.autoscalerOptions.idleTimeoutSeconds',
    message: 'Invalid value: -1',
  },
  {
    what: 'an unknown version of the autoscaler',
    manifest: rayCluster({ ...AUTOSCALED, autoscalerOptions: { version: 'v3' } }),
    path: 'spec.autoscalerOptions.version',
    message: 'Unsupported value: "v3": supported values: "v1", "v2"',
  },
  ...['RAY_CLUSTER_NAME', 'KUBERAY_GEN_AUTOSCALER_START_CMD'].map((name) => ({
    what: `${name} for the autoscaler`,
    manifest: rayCluster({ ...AUTOSCALED, autoscalerOptions: { env: [{ name, value: 'x' }] } }),
    path: 'spec.autoscalerOptions.env',
    message: 'Forbidden: remove KUBERAY_CRD_VER',
  })),
];

const REDIS = { gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } };
const ROCKSDB = { gcsFaultToleranceOptions: { backend: 'rocksdb' } };
const FAULT_TOLERANCE = 'spec.gcsFaultToleranceOptions';

const withStorage = (storage: object) => rayCluster({ gcsFaultToleranceOptions: { backend: 'rocksdb', storage } });

const faultTolerance: RefusedManifest[] = [
  {
    what: 'fault tolerance without a Redis',
    manifest: rayCluster({ gcsFaultToleranceOptions: {} }),
    path: `${FAULT_TOLERANCE}.redisAddress`,
    message: 'Required value: set the address of Redis',
  },
  {
    what: 'an unknown backend',
    manifest: rayCluster({ gcsFaultToleranceOptions: { backend: 'etcd' } }),
    path: `${FAULT_TOLERANCE}.backend`,
    message: 'Unsupported value: "etcd": supported values: "redis", "rocksdb"',
  },
  ...Object.entries({
    redisAddress: 'redis:6379',
    redisUsername: { value: 'ray' },
    redisPassword: { value: 'secret' },
    externalStorageNamespace: 'team',
  }).map(([field, value]) => ({
    what: `${field} with rocksdb`,
    manifest: rayCluster({ gcsFaultToleranceOptions: { backend: 'rocksdb', [field]: value } }),
    path: `${FAULT_TOLERANCE}.${field}`,
    message: 'Forbidden: remove it: with backend rocksdb there is no Redis',
  })),
  {
    what: 'a volume with redis',
    manifest: rayCluster({ gcsFaultToleranceOptions: { redisAddress: 'redis:6379', storage: { size: '1Gi' } } }),
    path: `${FAULT_TOLERANCE}.storage`,
    message: 'Forbidden: remove it, or set backend to rocksdb',
  },
  ...[{ size: '2Gi' }, { storageClassName: 'fast' }, { accessModes: ['ReadWriteOnce'] }].map((more) => ({
    what: `an existing claim with ${Object.keys(more).join()}`,
    manifest: withStorage({ claimName: 'mine', ...more }),
    path: `${FAULT_TOLERANCE}.storage.claimName`,
    message: 'Forbidden: remove it, or size',
  })),
  ...['RAY_REDIS_ADDRESS', 'REDIS_PASSWORD'].map((name) => ({
    what: `${name} beside the options`,
    manifest: withEnv(name, REDIS),
    path: CONTAINERS,
    message: 'Forbidden: remove RAY_REDIS_ADDRESS and REDIS_PASSWORD',
  })),
  {
    what: 'REDIS_USERNAME',
    manifest: withEnv('REDIS_USERNAME'),
    path: CONTAINERS,
    message: 'Forbidden: remove REDIS_USERNAME',
  },
  ...['RAY_gcs_storage', 'RAY_gcs_storage_path'].map((name) => ({
    what: `${name} with rocksdb`,
    manifest: withEnv(name, ROCKSDB),
    path: CONTAINERS,
    message: 'Forbidden: remove RAY_gcs_storage and RAY_gcs_storage_path',
  })),
  {
    what: 'a redis-password among the options of ray start, beside the options',
    manifest: withHead({ rayStartParams: { 'redis-password': 'secret' } }, REDIS),
    path: `${HEAD}.rayStartParams`,
    message: 'Forbidden: remove redis-password',
  },
  {
    what: 'a redis-username among the options of ray start',
    manifest: withHead({ rayStartParams: { 'redis-username': 'ray' } }),
    path: `${HEAD}.rayStartParams`,
    message: 'Forbidden: remove redis-username',
  },
];

const auth: RefusedManifest[] = [
  ...[undefined, '2.51.9', '2.9.0', '1.13.0', 'nightly'].map((rayVersion) => ({
    what: `token authentication with Ray ${rayVersion ?? 'of no version'}`,
    manifest: rayCluster({ authOptions: {}, ...(rayVersion !== undefined && { rayVersion }) }),
    path: 'spec.rayVersion',
    message: 'must be 2.52.0 or later',
  })),
  {
    what: 'tokens of ServiceAccounts with a release that does not support them',
    manifest: rayCluster({ rayVersion: '2.54.9', authOptions: { mode: 'token', enableK8sTokenAuth: true } }),
    path: 'spec.rayVersion',
    message: 'must be 2.55.0 or later',
  },
  {
    what: 'tokens of ServiceAccounts beside a Secret',
    manifest: rayCluster({ rayVersion: '2.55.0', authOptions: { enableK8sTokenAuth: true, secretName: 'mine' } }),
    path: 'spec.authOptions.secretName',
    message: 'Forbidden: remove it: enableK8sTokenAuth',
  },
  {
    what: 'tokens of ServiceAccounts without authentication',
    manifest: rayCluster({ authOptions: { mode: 'disabled', enableK8sTokenAuth: true } }),
    path: 'spec.authOptions.enableK8sTokenAuth',
    message: 'Forbidden: remove it, or set mode to token',
  },
  {
    what: 'an unknown mode of authentication',
    manifest: rayCluster({ rayVersion: '2.52.0', authOptions: { mode: 'mtls' } }),
    path: 'spec.authOptions.mode',
    message: 'Unsupported value: "mtls": supported values: "disabled", "token"',
  },
];

const withPolicy = (networkPolicy: object) => withGroup({}, { networkPolicy });
const RULES = [{}];

const networkPolicy: RefusedManifest[] = [
  ...['head', 'worker'].flatMap((part) => [
    {
      what: `ingress rules of ${part} where ingress is open`,
      manifest: withPolicy({ mode: 'DenyAllEgress', [part]: { ingressRules: RULES } }),
      path: `spec.networkPolicy.${part}.ingressRules`,
      message: 'Forbidden: remove ingressRules',
    },
    {
      what: `egress rules of ${part} where egress is open`,
      manifest: withPolicy({ mode: 'DenyAllIngress', [part]: { egressRules: RULES } }),
      path: `spec.networkPolicy.${part}.egressRules`,
      message: 'Forbidden: remove egressRules',
    },
  ]),
  {
    what: 'ingress rules of a group where ingress is open',
    manifest: withPolicy({ mode: 'DenyAllEgress', workerGroups: [{ groupName: 'small', ingressRules: RULES }] }),
    path: 'spec.networkPolicy.workerGroups',
    message: 'Forbidden: remove ingressRules',
  },
  {
    what: 'egress rules of a group where egress is open',
    manifest: withPolicy({ mode: 'DenyAllIngress', workerGroups: [{ groupName: 'small', egressRules: RULES }] }),
    path: 'spec.networkPolicy.workerGroups',
    message: 'Forbidden: remove egressRules',
  },
  {
    what: 'network rules for a group that does not exist',
    manifest: withPolicy({ workerGroups: [{ groupName: 'large' }] }),
    path: 'spec.networkPolicy.workerGroups',
    message: 'an entry names no group',
  },
  {
    what: 'network rules for a group in a cluster without groups',
    manifest: rayCluster({ networkPolicy: { workerGroups: [{ groupName: 'small' }] } }),
    path: 'spec.networkPolicy.workerGroups',
    message: 'an entry names no group',
  },
  {
    what: 'network rules for a group twice',
    manifest: withPolicy({ workerGroups: [{ groupName: 'small' }, { groupName: 'small' }] }),
    path: 'spec.networkPolicy.workerGroups',
    message: 'a group is named twice',
  },
  {
    what: 'a group in capitals beside network rules',
    manifest: withGroup({ groupName: 'Small' }, { networkPolicy: {} }),
    path: GROUPS,
    message: 'must be lower-case letters',
  },
  {
    what: 'an unknown mode of the network',
    manifest: withPolicy({ mode: 'AllowAll' }),
    path: 'spec.networkPolicy.mode',
    message: 'Unsupported value: "AllowAll"',
  },
];

const unsupported: RefusedManifest[] = [
  {
    what: 'TLS among the nodes',
    manifest: rayCluster({ tlsOptions: { enabled: true } }),
    path: 'spec.tlsOptions',
    message: 'Forbidden: Muster does not support TLS of Ray',
  },
  {
    what: 'a history server',
    manifest: rayCluster({ historyServerOptions: { collectorOptions: { image: 'example.com/collector:1' } } }),
    path: 'spec.historyServerOptions',
    message: 'Forbidden: Muster does not run a collector',
  },
];

const LONGEST_NAME = 'n'.repeat(53);

const names: RefusedManifest[] = [
  ...['1st', 'ray.cluster', 'ray-'].map((name) => ({
    what: `the name ${name}`,
    manifest: rayCluster({}, name),
    path: 'metadata.name',
    message: name.endsWith('-') ? 'metadata.name' : 'metadata.name must be a DNS label',
  })),
  {
    what: 'a name of 54 characters',
    manifest: rayCluster({}, `${LONGEST_NAME}n`),
    path: 'metadata.name',
    message: 'metadata.name is too long: shorten it to 53 characters',
  },
];

const accepted: AcceptedManifest[] = [
  ...RAY_CLUSTER_SAMPLES,
  { what: 'the smallest valid spec', manifest: rayCluster() },
  { what: 'the longest name', manifest: rayCluster({}, LONGEST_NAME) },
  {
    what: 'the maximum number of groups, with the longest names',
    manifest: rayCluster({
      workerGroupSpecs: Array.from({ length: 100 }, (_, index) =>
        group(`${'g'.repeat(60)}${String(index).padStart(3, '0')}`),
      ),
    }),
  },
  {
    what: 'fields without a value',
    manifest: withGroup(
      { replicas: null, minReplicas: null, maxReplicas: null, rayStartParams: null, scaleStrategy: null },
      { autoscalerOptions: null, suspend: null, managedBy: null },
    ),
  },
  {
    what: 'the names of groups in capitals and with dots',
    manifest: rayCluster({ workerGroupSpecs: [group('GPU.large'), group('cpu-small')] }),
  },
  {
    what: 'the defaults of KubeRay, set by another client',
    manifest: withGroup({
      replicas: 0,
      minReplicas: 0,
      maxReplicas: 2_147_483_647,
      numOfHosts: 1,
      priority: 0,
      scaleStrategy: {},
      rayStartParams: {},
    }),
  },
  {
    what: 'resources beside empty options of ray start',
    manifest: withGroup({ resources: { CPU: '2' }, rayStartParams: { 'num-cpus': '', block: 'true' } }),
  },
  {
    what: 'options of ray start beside empty resources',
    manifest: withGroup({ resources: {}, rayStartParams: { 'num-cpus': '2' } }),
  },
  { what: 'a suspended group without autoscaler', manifest: withGroup({ suspend: true }) },
  {
    what: 'an idle time of a group with a release whose autoscaler is v2',
    manifest: withGroup({ idleTimeoutSeconds: 60 }, { ...AUTOSCALED, rayVersion: '2.47.0' }),
  },
  {
    what: 'an idle time of a group with the older way to select v2',
    manifest: withHead(
      { template: template([ray({ env: [{ name: V2_VARIABLE, value: '1' }] })]) },
      { ...AUTOSCALED, workerGroupSpecs: [group('small', { idleTimeoutSeconds: 60 })] },
    ),
  },
  {
    what: `${V2_VARIABLE}=0 without autoscaler`,
    manifest: withEnv(V2_VARIABLE, {}, '0'),
  },
  {
    what: 'a priority with a release that supports it',
    manifest: withGroup({ priority: -1 }, { ...V2, rayVersion: '3.0.0.dev0' }),
  },
  {
    what: 'a head with restarts by the kubelet, with autoscaler v1',
    manifest: withHead(
      { template: template([ray()], { restartPolicy: 'Always' }) },
      { ...AUTOSCALED_GROUP, autoscalerOptions: { version: 'v1' } },
    ),
  },
  ...['2.52', '2.52.0', 'v2.60.1', '2.100.0', '3.0.0', '10.0', '2.52.0-py312'].map((rayVersion) => ({
    what: `token authentication with Ray ${rayVersion}`,
    manifest: rayCluster({ rayVersion, authOptions: { mode: 'token' } }),
  })),
  {
    what: 'no authentication with an old release',
    manifest: rayCluster({ rayVersion: '2.9.0', authOptions: { mode: 'disabled' } }),
  },
  {
    what: 'tokens of ServiceAccounts',
    manifest: rayCluster({ rayVersion: '2.55.0', authOptions: { mode: 'token', enableK8sTokenAuth: true } }),
  },
  {
    what: 'a folder of an existing claim',
    manifest: withStorage({ claimName: 'mine', subPath: 'ray' }),
  },
  { what: 'TLS that is off', manifest: rayCluster({ tlsOptions: { enabled: false } }) },
  { what: "another controller's cluster", manifest: rayCluster({ managedBy: 'kueue.x-k8s.io/multikueue' }) },
  { what: 'both upgrade strategies', manifest: rayCluster({ upgradeStrategy: { type: 'Recreate' } }) },
];

export const RAY_CLUSTER_ADMISSION: AdmissionTable = {
  definition: rayClusterDefinition,
  manager: MANAGED_BY_KUBERAY,
  withUndescribedFields,
  leastSpec: clusterSpec(),
  refused: [
    ...shapes,
    ...groups,
    ...autoscaler,
    ...faultTolerance,
    ...auth,
    ...networkPolicy,
    ...unsupported,
    ...names,
  ],
  accepted,
};
