/** PyTorchJobs that admission refuses or accepts. */
import { pytorchJobDefinition } from '../src/pytorch-job.ts';
import type { AcceptedManifest, AdmissionTable, RefusedManifest } from './admission-table.ts';
import { kindManifests } from './kind-manifests.ts';
import { acceptedOfEveryKind, LONGEST_NAME, refusedOfEveryKind } from './cases-of-every-kind.ts';
import { withUndescribedFields } from './undescribed-fields.ts';

const manifests = kindManifests({
  kind: 'PyTorchJob',
  field: 'pytorchReplicaSpecs',
  container: 'pytorch',
  otherRole: 'Master',
});
const { workers } = manifests;

export const { job, role } = manifests;

const elastic = (elasticPolicy: object, rest: object = {}) =>
  workers(role({ replicas: 2 }), { elasticPolicy, ...rest });

const WORKER = 'spec.pytorchReplicaSpecs[Worker]';

const roles: RefusedManifest[] = [
  {
    what: 'an empty map of roles',
    manifest: job({ pytorchReplicaSpecs: {} }),
    path: 'spec.pytorchReplicaSpecs',
    message: 'Required value: name at least one role, Master or Worker',
  },
  {
    what: 'an unknown role',
    manifest: job({ pytorchReplicaSpecs: { Worker: role(), Chief: role() } }),
    path: 'spec.pytorchReplicaSpecs',
    message: 'the only roles of a PyTorchJob are Master and Worker, in this spelling',
  },
  {
    what: 'a role in lower case',
    manifest: job({ pytorchReplicaSpecs: { worker: role() } }),
    path: 'spec.pytorchReplicaSpecs',
    message: 'the only roles of a PyTorchJob are Master and Worker, in this spelling',
  },
  {
    what: 'two masters',
    manifest: job({ pytorchReplicaSpecs: { Master: role({ replicas: 2 }) } }),
    path: 'spec.pytorchReplicaSpecs[Master].replicas',
    message: 'Forbidden: must be 1: a PyTorchJob has one master',
  },
  {
    what: 'a master of no replicas',
    manifest: job({ pytorchReplicaSpecs: { Master: role({ replicas: 0 }) } }),
    path: 'spec.pytorchReplicaSpecs[Master].replicas',
    message: 'Forbidden: must be at least 1',
  },
  {
    what: 'no workers',
    manifest: workers(role({ replicas: 0 })),
    path: `${WORKER}.replicas`,
    message: 'Forbidden: must be at least 1; to stop a job without deleting it, set spec.runPolicy.suspend to true',
  },
];

const elasticity: RefusedManifest[] = [
  {
    what: 'an elastic job without workers',
    manifest: job({ elasticPolicy: {}, pytorchReplicaSpecs: { Master: role() } }),
    path: WORKER,
    message: 'Required value: an elastic job needs the role Worker',
  },
  {
    what: 'minReplicas above maxReplicas',
    manifest: elastic({ minReplicas: 4, maxReplicas: 2 }),
    path: 'spec.elasticPolicy.minReplicas',
    message: 'must not be greater than maxReplicas',
  },
  {
    what: 'a negative minReplicas',
    manifest: elastic({ minReplicas: -1 }),
    path: 'spec.elasticPolicy.minReplicas',
    message: 'Invalid value: -1',
  },
  {
    what: 'a negative maxReplicas',
    manifest: elastic({ maxReplicas: -2 }),
    path: 'spec.elasticPolicy.maxReplicas',
    message: 'Invalid value: -2',
  },
  {
    what: 'minReplicas 0, with which torchrun does not start',
    manifest: elastic({ minReplicas: 0, maxReplicas: 2 }),
    path: 'spec.elasticPolicy.minReplicas',
    message: 'Invalid value: 0: ',
  },
  {
    what: 'a rendezvous port out of range',
    manifest: elastic({ rdzvPort: 70_000 }),
    path: 'spec.elasticPolicy.rdzvPort',
    message: 'Invalid value: 70000',
  },
  {
    what: 'a rendezvous option without name',
    manifest: elastic({ rdzvConf: [{ key: '', value: '1' }] }),
    path: 'spec.elasticPolicy.rdzvConf[0].key',
    message: 'must not be empty nor contain "," or "="',
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
    message: 'must not be empty nor contain "," or "="',
  },
  {
    what: 'a rendezvous option with "," in its value',
    manifest: elastic({ rdzvConf: [{ key: 'hosts', value: 'a,b' }] }),
    path: 'spec.elasticPolicy.rdzvConf[0].value',
    message: 'must not be empty nor contain ","',
  },
  {
    what: 'a rendezvous option without value',
    manifest: elastic({ rdzvConf: [{ key: 'timeout' }] }),
    path: 'spec.elasticPolicy.rdzvConf[0].value',
    message: 'Required value',
  },
  {
    what: '0 seconds as the monitorInterval',
    manifest: elastic({ monitorInterval: 0 }),
    path: 'spec.elasticPolicy.monitorInterval',
    // Kubernetes 1.31 names the type of the value, not the value.
    message: 'must be more than 0 seconds',
  },
  ...[-1, 86_401].map((monitorInterval) => ({
    what: `${monitorInterval} seconds as the monitorInterval`,
    manifest: elastic({ monitorInterval }),
    path: 'spec.elasticPolicy.monitorInterval',
    message: `Invalid value: ${monitorInterval}`,
  })),
  {
    what: 'an unknown startMethod',
    manifest: elastic({ startMethod: 'exec' }),
    path: 'spec.elasticPolicy.startMethod',
    message: 'Unsupported value: "exec": supported values: "spawn", "fork", "forkserver"',
  },
  ...['unschedulableSeconds', 'retrySeconds'].map((field) => ({
    what: `${field} of 0`,
    manifest: elastic({ fitToCapacity: { [field]: 0 } }),
    path: `spec.elasticPolicy.fitToCapacity.${field}`,
    message: 'Invalid value: 0',
  })),
  {
    what: 'both fields for the processes per node',
    manifest: elastic({ nProcPerNode: 2 }, { nprocPerNode: '2' }),
    path: 'spec.elasticPolicy.nProcPerNode',
    message: 'Forbidden: remove it: it is the deprecated form of spec.nprocPerNode, which is set too',
  },
];

const scalars: RefusedManifest[] = [
  ...['0', '-1', 'all', ''].map((value) => ({
    what: `nprocPerNode "${value}"`,
    manifest: workers(role(), { nprocPerNode: value }),
    path: 'spec.nprocPerNode',
    message: `Invalid value: "${value}": must be auto, cpu, gpu or a positive whole number in quotes`,
  })),
  {
    what: 'nprocPerNode without quotes',
    manifest: workers(role(), { nprocPerNode: 2 }),
    path: 'spec.nprocPerNode',
    message: 'must be of type string',
  },
];

const names: RefusedManifest[] = [
  {
    what: 'a name that makes the pod name of the last worker too long',
    manifest: job({ pytorchReplicaSpecs: { Worker: role({ replicas: 11 }) } }, LONGEST_NAME),
    path: 'metadata.name',
    message: 'shorten metadata.name to 53 characters',
  },
  {
    what: 'a name too long for the workers that an autoscaler may add',
    manifest: job(
      { elasticPolicy: { maxReplicas: 101 }, pytorchReplicaSpecs: { Worker: role({ replicas: 2 }) } },
      LONGEST_NAME,
    ),
    path: 'metadata.name',
    message: 'shorten metadata.name to 52 characters',
  },
  {
    what: "a name too long for a master's pod",
    manifest: job({ pytorchReplicaSpecs: { Master: role() } }, `${LONGEST_NAME}n`),
    path: 'metadata.name',
    message: 'shorten metadata.name to 54 characters',
  },
];

const accepted: AcceptedManifest[] = [
  { what: 'a master alone', manifest: job({ pytorchReplicaSpecs: { Master: role() } }) },
  {
    what: 'a master and workers',
    manifest: job({ pytorchReplicaSpecs: { Master: role({ replicas: 1 }), Worker: role({ replicas: 1000 }) } }),
  },
  {
    what: 'fields of its own without a value',
    manifest: workers(role(), { elasticPolicy: null, nprocPerNode: null }),
  },
  { what: 'an elastic job with an empty policy', manifest: elastic({}) },
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
      monitorInterval: 0.5,
      startMethod: 'forkserver',
      fitToCapacity: { unschedulableSeconds: 30, retrySeconds: 600 },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ],
    }),
  },
  {
    what: 'workers outside the elastic bounds, like Kubeflow',
    manifest: elastic({ minReplicas: 3, maxReplicas: 4 }),
  },
  ...['auto', 'cpu', 'gpu', '8'].map((value) => ({
    what: `nprocPerNode "${value}"`,
    manifest: workers(role(), { nprocPerNode: value }),
  })),
];

export const PYTORCH_ADMISSION: AdmissionTable = {
  definition: pytorchJobDefinition,
  withUndescribedFields,
  leastSpec: { pytorchReplicaSpecs: { Worker: role() } },
  refused: [...roles, ...elasticity, ...scalars, ...names, ...refusedOfEveryKind(manifests)],
  accepted: [...accepted, ...acceptedOfEveryKind(manifests)],
};
