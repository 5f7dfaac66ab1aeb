/**
 * Manifests that admission refuses or accepts, and what it says: one table for the API server (CRD and CEL) and for
 * `problemsOf`, so that the two cannot come to disagree.
 */
export type Manifest = Record<string, unknown>;

export interface RefusedManifest {
  /** Completes "refuses …". */
  readonly what: string;
  readonly manifest: Manifest;
  /** Where, in brackets-for-keys spelling. */
  readonly path: string;
  /** Text that both messages contain. */
  readonly says: string;
}

export interface AcceptedManifest {
  /** Completes "accepts …". */
  readonly what: string;
  readonly manifest: Manifest;
}

const trainer = (fields: object = {}) => ({ name: 'pytorch', image: 'example.com/train:1', ...fields });

const template = (...containers: object[]) => ({
  spec: { containers: containers.length > 0 ? containers : [trainer()] },
});

export const role = (fields: object = {}) => ({ template: template(), ...fields });

export function job(spec: object, name = 'mnist'): Manifest {
  return { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', metadata: { name }, spec };
}

/** A job of workers that all look like `worker`. */
const workers = (worker: object, rest: object = {}) => job({ pytorchReplicaSpecs: { Worker: worker }, ...rest });

const elastic = (elasticPolicy: object, rest: object = {}) =>
  workers(role({ replicas: 2 }), { elasticPolicy, ...rest });

const runPolicy = (policy: object) => workers(role(), { runPolicy: policy });

const WORKER = 'spec.pytorchReplicaSpecs[Worker]';
const CONTAINERS = `${WORKER}.template.spec.containers`;

const roles: RefusedManifest[] = [
  {
    what: 'a job without spec',
    manifest: { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', metadata: { name: 'mnist' } },
    path: 'spec',
    says: 'Required value',
  },
  {
    what: 'a job without the map of roles',
    manifest: job({}),
    path: 'spec.pytorchReplicaSpecs',
    says: 'Required value',
  },
  {
    what: 'an empty map of roles',
    manifest: job({ pytorchReplicaSpecs: {} }),
    path: 'spec.pytorchReplicaSpecs',
    says: 'Required value: name at least one role, Master or Worker',
  },
  {
    what: 'an unknown role',
    manifest: job({ pytorchReplicaSpecs: { Worker: role(), Chief: role() } }),
    path: 'spec.pytorchReplicaSpecs',
    says: 'the only roles of a PyTorchJob are Master and Worker, spelled like that',
  },
  {
    what: 'a role in lower case',
    manifest: job({ pytorchReplicaSpecs: { worker: role() } }),
    path: 'spec.pytorchReplicaSpecs',
    says: 'the only roles of a PyTorchJob are Master and Worker, spelled like that',
  },
  {
    what: 'two masters',
    manifest: job({ pytorchReplicaSpecs: { Master: role({ replicas: 2 }) } }),
    path: 'spec.pytorchReplicaSpecs[Master].replicas',
    says: 'Forbidden: must be 1: a PyTorchJob has one master',
  },
  {
    what: 'a master of no replicas',
    manifest: job({ pytorchReplicaSpecs: { Master: role({ replicas: 0 }) } }),
    path: 'spec.pytorchReplicaSpecs[Master].replicas',
    says: 'Forbidden: must be at least 1',
  },
  {
    what: 'no workers',
    manifest: workers(role({ replicas: 0 })),
    path: `${WORKER}.replicas`,
    says: 'Forbidden: must be at least 1; to stop a job without deleting it, set spec.runPolicy.suspend to true',
  },
  {
    what: 'a negative number of workers',
    manifest: workers(role({ replicas: -1 })),
    path: `${WORKER}.replicas`,
    says: 'Forbidden: must be at least 1',
  },
  {
    what: 'more restarts than 32 bits can count',
    manifest: runPolicy({ backoffLimit: 3_000_000_000 }),
    path: 'spec.runPolicy.backoffLimit',
    says: 'Invalid value: ',
  },
  {
    what: 'a number of workers in quotes',
    manifest: workers(role({ replicas: '2' })),
    path: `${WORKER}.replicas`,
    says: 'must be of type integer',
  },
  {
    what: 'an unknown restart policy',
    manifest: workers(role({ restartPolicy: 'onfailure' })),
    path: `${WORKER}.restartPolicy`,
    says: 'Unsupported value: "onfailure": supported values: "Always", "OnFailure", "Never", "ExitCode"',
  },
];

const templates: RefusedManifest[] = [
  {
    what: 'a role without template',
    manifest: workers({ replicas: 1 }),
    path: `${WORKER}.template`,
    says: 'Required value',
  },
  {
    what: 'a template without spec',
    manifest: workers({ template: {} }),
    path: `${WORKER}.template.spec`,
    says: 'Required value',
  },
  {
    what: 'a pod without containers',
    manifest: workers({ template: { spec: {} } }),
    path: CONTAINERS,
    says: 'Required value',
  },
  {
    what: 'an empty list of containers',
    manifest: workers({ template: { spec: { containers: [] } } }),
    path: CONTAINERS,
    says: 'Required value: a container named pytorch is needed',
  },
  {
    what: 'a pod with no container named pytorch',
    manifest: workers({ template: template(trainer({ name: 'main' })) }),
    path: CONTAINERS,
    says: 'Required value: a container named pytorch is needed',
  },
  {
    what: 'a container without name',
    manifest: workers({ template: template(trainer(), { image: 'example.com/log:1' }) }),
    path: `${CONTAINERS}[1].name`,
    says: 'Required value',
  },
  {
    what: 'a container without image',
    manifest: workers({ template: template({ name: 'pytorch' }) }),
    path: `${CONTAINERS}[0].image`,
    says: 'Required value: name the image that this container runs',
  },
  {
    what: 'an empty image in a second container',
    manifest: workers({ template: template(trainer(), { name: 'log', image: '' }) }),
    path: `${CONTAINERS}[1].image`,
    says: 'Required value: name the image that this container runs',
  },
  {
    what: 'an init container without image',
    manifest: workers({ template: { spec: { containers: [trainer()], initContainers: [{ name: 'fetch' }] } } }),
    path: `${WORKER}.template.spec.initContainers[0].image`,
    says: 'Required value: name the image that this container runs',
  },
  {
    what: 'a port above 65535',
    manifest: workers({ template: template(trainer({ ports: [{ containerPort: 65_536 }] })) }),
    path: `${CONTAINERS}[0].ports[0].containerPort`,
    says: 'Invalid value: 65536',
  },
  {
    what: 'port 0',
    manifest: workers({ template: template(trainer({ ports: [{ containerPort: 0 }] })) }),
    path: `${CONTAINERS}[0].ports[0].containerPort`,
    says: 'Invalid value: 0',
  },
  {
    what: 'an environment variable whose value is a number',
    manifest: workers({ template: template(trainer({ env: [{ name: 'LR', value: 1 }] })) }),
    path: `${CONTAINERS}[0].env[0].value`,
    says: 'must be of type string',
  },
  {
    what: 'more containers than the rules are budgeted for',
    manifest: workers({
      template: template(trainer(), ...Array.from({ length: 64 }, (_, i) => trainer({ name: `c${i}` }))),
    }),
    path: CONTAINERS,
    says: 'must have at most 64 items',
  },
];

const elasticity: RefusedManifest[] = [
  {
    what: 'an elastic job without workers',
    manifest: job({ elasticPolicy: {}, pytorchReplicaSpecs: { Master: role() } }),
    path: WORKER,
    says: 'Required value: an elastic job needs the role Worker',
  },
  {
    what: 'minReplicas above maxReplicas',
    manifest: elastic({ minReplicas: 4, maxReplicas: 2 }),
    path: 'spec.elasticPolicy.minReplicas',
    says: 'must not be greater than maxReplicas',
  },
  {
    what: 'a negative minReplicas',
    manifest: elastic({ minReplicas: -1 }),
    path: 'spec.elasticPolicy.minReplicas',
    says: 'Invalid value: -1',
  },
  {
    what: 'a negative maxReplicas',
    manifest: elastic({ maxReplicas: -2 }),
    path: 'spec.elasticPolicy.maxReplicas',
    says: 'Invalid value: -2',
  },
  {
    what: 'minReplicas 0, with which torchrun does not start',
    manifest: elastic({ minReplicas: 0, maxReplicas: 2 }),
    path: 'spec.elasticPolicy.minReplicas',
    says: 'Invalid value: 0: ',
  },
  {
    what: 'a rendezvous port out of range',
    manifest: elastic({ rdzvPort: 70_000 }),
    path: 'spec.elasticPolicy.rdzvPort',
    says: 'Invalid value: 70000',
  },
  {
    what: 'a rendezvous option without name',
    manifest: elastic({ rdzvConf: [{ key: '', value: '1' }] }),
    path: 'spec.elasticPolicy.rdzvConf[0].key',
    says: 'must not be empty nor contain "," or "="',
  },
  {
    what: 'a rendezvous option with "=" in its name',
    manifest: elastic({
      rdzvConf: [
        { key: 'timeout', value: '60' },
        { key: 'a=b', value: '1' },
      ],
    }),
    path: 'spec.elasticPolicy.rdzvConf[1].key',
    says: 'must not be empty nor contain "," or "="',
  },
  {
    what: 'a rendezvous option with "," in its value',
    manifest: elastic({ rdzvConf: [{ key: 'hosts', value: 'a,b' }] }),
    path: 'spec.elasticPolicy.rdzvConf[0].value',
    says: 'must not be empty nor contain ","',
  },
  {
    what: 'a rendezvous option without value',
    manifest: elastic({ rdzvConf: [{ key: 'timeout' }] }),
    path: 'spec.elasticPolicy.rdzvConf[0].value',
    says: 'Required value',
  },
  {
    what: 'processes per node said twice',
    manifest: elastic({ nProcPerNode: 2 }, { nprocPerNode: '2' }),
    path: 'spec.elasticPolicy.nProcPerNode',
    says: 'Forbidden: remove it: it is the deprecated form of spec.nprocPerNode, which is set too',
  },
];

const scalars: RefusedManifest[] = [
  ...['0', '-1', 'all', ''].map((value) => ({
    what: `nprocPerNode "${value}"`,
    manifest: workers(role(), { nprocPerNode: value }),
    path: 'spec.nprocPerNode',
    says: `Invalid value: "${value}": must be auto, cpu, gpu or a positive whole number in quotes`,
  })),
  {
    what: 'nprocPerNode without quotes',
    manifest: workers(role(), { nprocPerNode: 2 }),
    path: 'spec.nprocPerNode',
    says: 'must be of type string',
  },
  {
    what: 'an unknown cleanPodPolicy',
    manifest: runPolicy({ cleanPodPolicy: 'Always' }),
    path: 'spec.runPolicy.cleanPodPolicy',
    says: 'Unsupported value: "Always": supported values: "All", "Running", "None"',
  },
  ...['ttlSecondsAfterFinished', 'activeDeadlineSeconds', 'backoffLimit'].map((field) => ({
    what: `a negative ${field}`,
    manifest: runPolicy({ [field]: -1 }),
    path: `spec.runPolicy.${field}`,
    says: 'Invalid value: -1',
  })),
  {
    what: 'a managedBy that is not domain-qualified',
    manifest: runPolicy({ managedBy: 'kueue' }),
    path: 'spec.runPolicy.managedBy',
    says: 'Invalid value: "kueue": must be a domain-qualified name',
  },
  {
    what: 'an empty managedBy',
    manifest: runPolicy({ managedBy: '' }),
    path: 'spec.runPolicy.managedBy',
    says: 'Invalid value: "": must be a domain-qualified name',
  },
  ...[true, 'many', '1 Gi'].map((quantity) => ({
    what: `the quantity ${JSON.stringify(quantity)}`,
    manifest: runPolicy({ schedulingPolicy: { minResources: { cpu: quantity } } }),
    path: 'spec.runPolicy.schedulingPolicy.minResources[cpu]',
    says: 'Invalid value: ',
  })),
];

/** The longest name whose worker with a one-digit index fits into 63 characters. */
export const LONGEST_NAME = 'n'.repeat(63 - '-worker-0'.length);

const names: RefusedManifest[] = [
  {
    what: 'a name that starts with a digit',
    manifest: job({ pytorchReplicaSpecs: { Worker: role() } }, '1st'),
    path: 'metadata.name',
    says: 'metadata.name must be a DNS label',
  },
  {
    what: 'a name with a dot',
    manifest: job({ pytorchReplicaSpecs: { Worker: role() } }, 'mnist.v2'),
    path: 'metadata.name',
    says: 'metadata.name must be a DNS label',
  },
  {
    what: 'a name from which the pod name of the last worker becomes too long',
    manifest: job({ pytorchReplicaSpecs: { Worker: role({ replicas: 11 }) } }, LONGEST_NAME),
    path: 'metadata.name',
    says: 'shorten metadata.name to 53 characters',
  },
  {
    what: 'a name too long for the workers that an autoscaler may add',
    manifest: job(
      { elasticPolicy: { maxReplicas: 101 }, pytorchReplicaSpecs: { Worker: role({ replicas: 2 }) } },
      LONGEST_NAME,
    ),
    path: 'metadata.name',
    says: 'shorten metadata.name to 52 characters',
  },
  {
    what: "a name too long for a master's pod",
    manifest: job({ pytorchReplicaSpecs: { Master: role() } }, `${LONGEST_NAME}n`),
    path: 'metadata.name',
    says: 'shorten metadata.name to 54 characters',
  },
];

export const REFUSED: readonly RefusedManifest[] = [...roles, ...templates, ...elasticity, ...scalars, ...names];

export const ACCEPTED: readonly AcceptedManifest[] = [
  { what: 'the least that a job can say', manifest: workers(role()) },
  { what: 'a master alone', manifest: job({ pytorchReplicaSpecs: { Master: role() } }) },
  {
    what: 'a master and workers',
    manifest: job({ pytorchReplicaSpecs: { Master: role({ replicas: 1 }), Worker: role({ replicas: 1000 }) } }),
  },
  {
    what: 'empty strings where Kubeflow reads them as unset',
    manifest: workers(role({ restartPolicy: '' }), { runPolicy: { cleanPodPolicy: '' } }),
  },
  {
    what: 'fields with nothing behind them',
    manifest: workers(
      {
        replicas: null,
        restartPolicy: null,
        template: template(trainer({ resources: null, env: null, command: null })),
      },
      { runPolicy: null, elasticPolicy: null, nprocPerNode: null },
    ),
  },
  {
    what: 'the longest name',
    manifest: job({ pytorchReplicaSpecs: { Worker: role({ replicas: 10 }) } }, LONGEST_NAME),
  },
  {
    what: 'every field of the run policy',
    manifest: runPolicy({
      cleanPodPolicy: 'Running',
      ttlSecondsAfterFinished: 0,
      activeDeadlineSeconds: 5_000_000_000,
      backoffLimit: 0,
      suspend: true,
      managedBy: 'kubeflow.org/training-operator',
      schedulingPolicy: {
        minAvailable: 2,
        queue: 'default',
        minResources: { cpu: 4, memory: '1.5Gi', 'nvidia.com/gpu': '2' },
        priorityClass: 'high',
        scheduleTimeoutSeconds: 60,
      },
    }),
  },
  { what: "another controller's job", manifest: runPolicy({ managedBy: 'kueue.x-k8s.io/multikueue' }) },
  { what: 'an elastic job with nothing said', manifest: elastic({}) },
  {
    what: 'every field of the elastic policy',
    manifest: elastic({
      minReplicas: 2,
      maxReplicas: 2,
      rdzvBackend: 'etcd-v2',
      rdzvPort: 2379,
      rdzvHost: 'etcd',
      rdzvId: 'run-1',
      rdzvConf: [
        { key: 'protocol', value: 'https' },
        { key: 'cert', value: '/a=b' },
      ],
      standalone: false,
      nProcPerNode: 2,
      maxRestarts: 3,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ],
    }),
  },
  {
    what: 'workers outside the elastic bounds, as Kubeflow does',
    manifest: elastic({ minReplicas: 3, maxReplicas: 4 }),
  },
  ...['auto', 'cpu', 'gpu', '8'].map((value) => ({
    what: `nprocPerNode "${value}"`,
    manifest: workers(role(), { nprocPerNode: value }),
  })),
];
