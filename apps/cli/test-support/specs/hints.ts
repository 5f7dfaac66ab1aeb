/** Values of fields whose schema allows nearly everything: names of roles, cron schedules, arguments of plugins. */
import fc from 'fast-check';
import {
  edgeName,
  fieldsOf,
  labelKey,
  labels,
  labelValue,
  mostly,
  name,
  quantity,
  rarely,
  resourceName,
} from './edge-values.ts';
import { isObject, type Json } from './json.ts';

interface RolesOfField {
  /** Roles that most jobs have. */
  readonly usual: readonly string[];
  readonly others?: readonly string[];
  readonly container?: string;
}

const ROLES: Readonly<Record<string, RolesOfField>> = {
  tfReplicaSpecs: { usual: ['Worker'], others: ['Chief', 'Master', 'PS', 'Evaluator'], container: 'tensorflow' },
  pytorchReplicaSpecs: { usual: ['Master', 'Worker'], container: 'pytorch' },
  mpiReplicaSpecs: { usual: ['Launcher', 'Worker'] },
  mxReplicaSpecs: {
    usual: ['Scheduler', 'Server', 'Worker'],
    others: ['TunerTracker', 'TunerServer', 'Tuner'],
    container: 'mxnet',
  },
  xgbReplicaSpecs: { usual: ['Master', 'Worker'], container: 'xgboost' },
  paddleReplicaSpecs: { usual: ['Worker'], others: ['Master'], container: 'paddle' },
  jaxReplicaSpecs: { usual: ['Worker'], container: 'jax' },
};

/** Roles of which a job has one pod. */
const SINGLE = new Set(['Master', 'Chief', 'Launcher', 'Scheduler', 'TunerTracker', 'Tuner', 'Evaluator']);

/** How often a field is left out for each time that it is there. Default: 4. */
const ABSENT: Readonly<Record<string, number>> = {
  ...{
    mpiReplicaSpecs: 0,
    rayClusterSpec: 0,
    entrypoint: 0,
    serveConfigV2: 0,
    jobMode: 0,
    replicas: 1,
    apiGeneration: 60,
  },
  ...{ gpus: 60, gpusPerNode: 60, processingUnits: 60, processingUnitsPerNode: 60, processingResourceType: 60 },
  ...{
    template: 60,
    launcherOnMaster: 60,
    mainContainer: 30,
    clusterSelector: 40,
    managedBy: 30,
    historyServerOptions: 60,
  },
  ...{
    tlsOptions: 60,
    authOptions: 10,
    networkPolicy: 10,
    gcsFaultToleranceOptions: 8,
    deletionStrategy: 10,
    event: 1,
  },
  ...{ policies: 8, dependsOn: 8, topologyPolicy: 40, networkTopology: 40, runningEstimate: 60, exitCode: 5 },
  ...{
    minAvailable: 15,
    jobId: 10,
    partitionPolicy: 20,
    metrics: 6,
    backoffLimit: 4,
    startOrder: 8,
    failurePolicy: 8,
    suspend: 8,
  },
};

/** The same for an MPIJob of v1alpha1, whose spec has no roles. */
const ABSENT_IN_V1ALPHA1: Readonly<Record<string, number>> = {
  ...ABSENT,
  mpiReplicaSpecs: 60,
  template: 0,
  replicas: 0,
};

export function absenceOf(field: string, kind: string): number {
  return (kind === 'MPIJob-v1alpha1' ? ABSENT_IN_V1ALPHA1 : ABSENT)[field] ?? 4;
}

const KEYS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  rayStartParams: mostly(
    fc.constantFrom(
      'num-cpus',
      'num-gpus',
      'port',
      'dashboard-port',
      'dashboard-host',
      'block',
      'memory',
      'resources',
      'labels',
      'node-ip-address',
      'ray-client-server-port',
      'metrics-export-port',
    ),
    fc.constantFrom('', 'head', 'address', 'Num Cpus', '--port', 'a;b'),
  ),
  resources: resourceName,
  minResources: resourceName,
  labels: labelKey,
  headServiceAnnotations: labelKey,
  clusterSelector: mostly(fc.constant('ray.io/cluster'), fc.constantFrom('', 'team')),
};

/** Name of the main container of the roles in this field. */
export function mainContainer(field: string): string | undefined {
  return ROLES[field]?.container;
}

/** Keys of a map of this name. */
export function keysOf(field: string): fc.Arbitrary<string> {
  return KEYS[field] ?? name;
}

/** The roles in this field, each with a spec from `of`, or undefined if the field has no roles. */
export function rolesOf(field: string, of: fc.Arbitrary<Json>): fc.Arbitrary<Json> | undefined {
  const roles = ROLES[field];
  if (roles === undefined) return undefined;
  const { usual, others = [] } = roles;
  const present = Object.fromEntries([
    ...usual.map((role) => [role, mostly<Json | undefined>(specOf(role, of), fc.constant(undefined), 8)] as const),
    ...others.map((role) => [role, rarely(specOf(role, of), 4)] as const),
    ...['worker', 'MASTER', 'Boss', ''].map((role) => [role, rarely(of, 100)] as const),
  ]);
  return fieldsOf(present);
}

function specOf(role: string, of: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  if (!SINGLE.has(role)) return of;
  return fc
    .tuple(of, fc.nat({ max: 20 }))
    .map(([spec, at]) => (isObject(spec) && at > 0 ? { ...spec, replicas: 1 } : spec));
}

/** Few pods, so that thousands of manifests are planned in minutes. */
const replicas = mostly<Json>(
  fc.constantFrom(1, 2, 3),
  fc.constantFrom<Json[]>(0, 0, 0, -1, 12, 150, 100_001, 2_147_483_647, '2', 1.5),
  15,
);

const SERVE_CONFIGS = [
  'applications:\n  - name: fruit\n    import_path: fruit:app\n    route_prefix: /fruit\n',
  'applications: []\n',
  '',
  'applications:\n  - name: a\n  - name: a\n',
  'applications: {a: 1}',
  ': : :',
  '- 1',
  'a: &a [*a]',
  '\t',
];

const ENVIRONMENTS = [
  'pip: [requests==2.31.0]\nenv_vars:\n  A: "1"\n',
  'working_dir: "https://example.com/a.zip"',
  '',
  '- a',
  ': :',
  '{',
  '5',
  'a: b: c',
];

/** By the name of a field; `[]` marks an item of a list, `.*` one of a map. */
export const HINTS: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  replicas,
  gpus: replicas,
  processingUnits: replicas,
  numOfHosts: mostly<Json>(fc.constantFrom(1, 2), fc.constantFrom(0, 4, -1), 20),
  suspend: mostly<Json>(fc.constant(false), fc.constant(true), 6),
  managedBy: fc.constantFrom(
    'kubeflow.org/training-operator',
    'kubeflow.org/mpi-operator',
    'ray.io/kuberay-operator',
    'kueue.x-k8s.io/multikueue',
    'x',
    '',
  ),
  schedule: mostly<Json>(
    fc.constantFrom('*/5 * * * *', '@hourly', '0 5 * * 1-5', '@every 1m'),
    fc.constantFrom(
      '',
      '0 0 31 2 *',
      '60 * * * *',
      '* * * *',
      '* * * * * *',
      'CRON_TZ=Europe/Berlin 0 5 * * *',
      '@reboot',
      '*/0 * * * *',
      '@every 0s',
      '0 0 1-0 * *',
      'a'.repeat(513),
    ),
    6,
  ),
  timeZone: fc.constantFrom('Etc/UTC', 'Europe/Berlin', '', 'Local', 'Mars/Phobos', 'utc'),
  serveConfigV2: mostly<Json>(fc.constant(SERVE_CONFIGS[0] ?? ''), fc.constantFrom(...SERVE_CONFIGS), 4),
  runtimeEnvYAML: fc.constantFrom(...ENVIRONMENTS),
  entrypoint: mostly<Json>(
    fc.constantFrom('python train.py', 'echo hi'),
    fc.constantFrom('', 'a "b', "a 'b' $X `c` \\", 'a\nb', '训练'),
    6,
  ),
  entrypointResources: fc.constantFrom('{"a": 1}', '', '{', '[]', '"a"', '{"a": "b"}'),
  jobId: mostly<Json>(name, fc.constantFrom('a/b', '../x', 'a?b')),
  nprocPerNode: mostly<Json>(fc.constantFrom('auto', 'cpu', 'gpu', '2'), fc.constantFrom('', '0', '-1', 'all', '1.5')),
  rdzvBackend: mostly<Json>(fc.constantFrom('c10d', 'etcd', 'etcd-v2'), fc.constantFrom('', 'C10D', 'zookeeper')),
  rdzvHost: mostly<Json>(name, fc.constantFrom('etcd.default.svc', 'http://x:1', '::1')),
  rayVersion: mostly<Json>(fc.constantFrom('2.60.0', '2.9.0'), fc.constantFrom('', 'nightly', '2', '3.0.0rc1')),
  groupName: mostly<Json>(fc.constantFrom('small', 'gpu-group', 'workers'), edgeName),
  mainContainer: name,
  sshAuthMountPath: mostly<Json>(
    fc.constantFrom('/root/.ssh', '/home/mpiuser/.ssh'),
    fc.constantFrom('', '.ssh', '/', '/a:b'),
  ),
  processingResourceType: mostly<Json>(
    fc.constantFrom('gpu', 'cpu', 'nvidia.com/gpu'),
    fc.constantFrom('', 'cpu ', 'x y', 'memory', 'example.com/'),
  ),
  'rayStartParams.*': mostly<Json>(
    fc.constantFrom('1', '0', '8265', 'true'),
    fc.constantFrom('', '-1', 'x', '"\'{\\"a\\": 1}\'"', '70000', '$(X)', 'a b; c'),
  ),
  'resources.*': quantity.map((each): Json => (typeof each === 'number' ? `${each}` : each)),
  'labels.*': labelValue,
  'headServiceAnnotations.*': labelValue,
  'clusterSelector.*': name,
  headService: fc.constantFrom<Json[]>(
    { metadata: { labels: { a: 'b' } }, spec: { type: 'NodePort' } },
    {},
    { metadata: { name: 'other' } },
    { spec: { ports: [{ name: 'x', port: 1 }] } },
    { spec: { clusterIP: 'None' } },
    {
      spec: {
        ports: [
          { name: 'x', port: 1 },
          { name: 'x', port: 1 },
        ],
      },
    },
  ),
  serveService: fc.constantFrom<Json[]>(
    { metadata: { labels: { a: 'b' } }, spec: { type: 'NodePort' } },
    {},
    { metadata: { name: 'serve' } },
    { metadata: { name: 'Bad_Name' } },
    { spec: { ports: [] } },
  ),
  'metrics[]': fc.constantFrom<Json[]>(
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
    { type: 'Resource' },
    { type: 'X' },
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 0 } } },
  ),
  'ingressRules[]': fc.constantFrom<Json[]>(
    {},
    { from: [{ podSelector: {} }] },
    { ports: [{ port: 'x y' }] },
    { from: [{}] },
  ),
  'egressRules[]': fc.constantFrom<Json[]>({}, { to: [{ podSelector: {} }] }, { to: [{ ipBlock: { cidr: 'x' } }] }),
  'tls[]': fc.constantFrom<Json[]>({}, { hosts: ['a.example'], secretName: 's' }, { hosts: 'x' }),
  host: mostly<Json>(fc.constant('ray.example.com'), edgeName, 5),
  path: fc.constantFrom('/ray', '/', '', 'ray', '/ray(/|$)(.*)'),
  onPodConditions: fc.constantFrom<Json[]>([{ type: 'DisruptionTarget' }], [{ type: '' }], [{ type: 'a b' }], []),
  plugins: fc.constant({}),
  nodeSelector: labels,
};
