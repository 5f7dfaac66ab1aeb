/** MPIJobs of v1alpha1 that admission refuses or accepts. */
import { mpiJobDefinition } from '../src/mpi-job.ts';
import type { AcceptedManifest, AdmissionTable, Manifest, RefusedManifest } from './admission-table.ts';
import { withUndescribedFields } from './undescribed-fields.ts';

/** With `-worker` and the hash of a StatefulSet's revision, a label of 63 characters. */
const LONGEST = 'n'.repeat(45);

const container = { name: 'tensorflow-benchmarks', image: 'example.com/tensorflow-benchmarks:1' };
const template = { spec: { containers: [container] } };

const bare = (spec: object, name = 'mnist'): Manifest => ({
  apiVersion: 'kubeflow.org/v1alpha1',
  kind: 'MPIJob',
  metadata: { name },
  spec,
});
const job = (spec: object, name?: string) => bare({ template, ...spec }, name);

const ONCE = 'a v1alpha1 MPIJob has one of these fields';
const CONTAINERS = 'spec.template.spec.containers';

const sizes: RefusedManifest[] = [
  {
    what: 'a job without spec',
    manifest: { apiVersion: 'kubeflow.org/v1alpha1', kind: 'MPIJob', metadata: { name: 'mnist' } },
    path: 'spec',
    message: 'Required value',
  },
  {
    what: 'a job without size',
    manifest: job({}),
    path: 'spec.gpus',
    message: 'Required value: set the size of the job by gpus, processingUnits or replicas',
  },
  {
    what: 'a job of the later versions',
    manifest: bare({ mpiReplicaSpecs: { Launcher: { template }, Worker: { template } } }),
    path: 'spec.gpus',
    message: 'for mpiReplicaSpecs, use the apiVersion kubeflow.org/v1 or kubeflow.org/v2beta1',
  },
  {
    what: 'gpus and processingUnits',
    manifest: job({ gpus: 8, processingUnits: 8 }),
    path: 'spec.gpus',
    message: `Forbidden: remove it or processingUnits and replicas: ${ONCE}`,
  },
  {
    what: 'gpus and replicas',
    manifest: job({ gpus: 8, replicas: 2 }),
    path: 'spec.gpus',
    message: `Forbidden: remove it or processingUnits and replicas: ${ONCE}`,
  },
  {
    what: 'processingUnits and replicas',
    manifest: job({ processingUnits: 8, replicas: 2 }),
    path: 'spec.processingUnits',
    message: `Forbidden: remove it or replicas: ${ONCE}`,
  },
  ...['gpus', 'processingUnits'].flatMap((size) =>
    [0, -8, 100_001].map((value) => ({
      what: `${value} ${size}`,
      manifest: job({ [size]: value }),
      path: `spec.${size}`,
      message: `Invalid value: ${value}`,
    })),
  ),
  ...['gpusPerNode', 'processingUnitsPerNode'].map((size) => ({
    what: `0 ${size}`,
    manifest: job({ gpus: 8, [size]: 0 }),
    path: `spec.${size}`,
    message: 'Invalid value: 0',
  })),
  ...[0, -1].map((replicas) => ({
    what: `${replicas} replicas`,
    manifest: job({ replicas }),
    path: 'spec.replicas',
    message: 'Forbidden: must be at least 1; to stop a job without deleting it, set spec.runPolicy.suspend to true',
  })),
  {
    what: 'more replicas than the limit',
    manifest: job({ replicas: 100_001 }),
    path: 'spec.replicas',
    message: 'Invalid value: 100001',
  },
  { what: 'gpus in quotes', manifest: job({ gpus: '8' }), path: 'spec.gpus', message: 'must be of type integer' },
];

const others: RefusedManifest[] = [
  {
    what: 'a job without template',
    manifest: bare({ gpus: 8 }),
    path: 'spec.template',
    message: 'Required value: set spec.template, the template of the pods',
  },
  {
    what: 'a template without spec',
    manifest: bare({ gpus: 8, template: {} }),
    path: 'spec.template.spec',
    message: 'Required value',
  },
  {
    what: 'a template without containers',
    manifest: bare({ gpus: 8, template: { spec: { containers: [] } } }),
    path: CONTAINERS,
    message: 'Required value: a container is needed: the first one does the work',
  },
  {
    what: 'a container without image',
    manifest: bare({ gpus: 8, template: { spec: { containers: [{ name: 'main' }] } } }),
    path: `${CONTAINERS}[0].image`,
    message: 'Required value: name the image that this container runs',
  },
  ...['backoffLimit', 'activeDeadlineSeconds', 'slotsPerWorker'].map((field) => ({
    what: `a negative ${field}`,
    manifest: job({ gpus: 8, [field]: -1 }),
    path: `spec.${field}`,
    message: 'Invalid value: -1',
  })),
  {
    what: 'a backoffLimit that 32 bits cannot hold',
    manifest: job({ gpus: 8, backoffLimit: 2 ** 31 }),
    path: 'spec.backoffLimit',
    message: 'Invalid value: ',
  },
  {
    what: 'a deadline beyond the integers that JSON represents exactly',
    manifest: job({ gpus: 8, activeDeadlineSeconds: 2 ** 53 }),
    path: 'spec.activeDeadlineSeconds',
    message: `must be at most ${2 ** 53 - 1}`,
  },
  ...['cpu ', 'gpu', 'nvidia.com/', 'x y', '.com/gpu', 'requests.cpu'].map((processingResourceType) => ({
    what: `the resource ${JSON.stringify(processingResourceType)}`,
    manifest: job({ processingUnits: 8, processingResourceType }),
    path: 'spec.processingResourceType',
    message: `Invalid value: ${JSON.stringify(processingResourceType)}: must be cpu, memory, ephemeral-storage or`,
  })),
  {
    what: 'launcherOnMaster in quotes',
    manifest: job({ gpus: 8, launcherOnMaster: 'true' }),
    path: 'spec.launcherOnMaster',
    message: 'must be of type boolean',
  },
];

const names: RefusedManifest[] = [
  {
    what: 'a name that starts with a digit',
    manifest: job({ gpus: 8 }, '1st'),
    path: 'metadata.name',
    message: 'metadata.name must be a DNS label',
  },
  {
    what: 'a name one character too long for the label with which a StatefulSet marks its pods',
    manifest: job({ replicas: 1 }, `${LONGEST}n`),
    path: 'metadata.name',
    message: 'shorten metadata.name',
  },
];

/** Like the first design and the first releases. */
const forms: AcceptedManifest[] = [
  { what: 'a number of GPUs in all', manifest: job({ gpus: 128 }, 'tensorflow-benchmarks') },
  {
    what: 'a number of workers whose template says how many GPUs each has',
    manifest: bare({
      replicas: 16,
      template: {
        spec: {
          containers: [{ ...container, command: ['mpirun'], resources: { limits: { 'nvidia.com/gpu': 8 } } }],
        },
      },
    }),
  },
  {
    what: 'CPUs in place of GPUs',
    manifest: job({ processingUnits: 8, processingUnitsPerNode: 4, processingResourceType: 'cpu' }),
  },
  {
    what: 'every field that it has',
    manifest: job({
      gpus: 16,
      gpusPerNode: 4,
      slotsPerWorker: 2,
      launcherOnMaster: true,
      backoffLimit: 0,
      activeDeadlineSeconds: 5_000_000_000,
      runPolicy: { suspend: true, ttlSecondsAfterFinished: 60, cleanPodPolicy: 'All' },
    }),
  },
];

const accepted: AcceptedManifest[] = [
  ...forms,
  ...[1, 2, 3, 4, 12].map((gpus) => ({ what: `${gpus} gpus`, manifest: job({ gpus }) })),
  { what: 'one replica', manifest: job({ replicas: 1 }) },
  ...['amd.com/gpu', 'memory', 'hugepages-2Mi', ''].map((processingResourceType) => ({
    what: `the resource ${JSON.stringify(processingResourceType)}`,
    manifest: job({ processingUnits: 8, processingResourceType }),
  })),
  {
    what: 'fields without a value',
    manifest: job({ gpus: 8, replicas: null, processingUnits: null, mpiReplicaSpecs: null, apiGeneration: null }),
  },
  ...[
    { replicas: 10 },
    { gpus: 10 },
    { gpus: 80, gpusPerNode: 8 },
    { processingUnits: 40, processingUnitsPerNode: 4 },
  ].map((size) => ({ what: `the longest name with ${JSON.stringify(size)}`, manifest: job(size, LONGEST) })),
];

export const MPI_V1ALPHA1_ADMISSION: AdmissionTable = {
  definition: mpiJobDefinition,
  version: 'v1alpha1',
  withUndescribedFields,
  leastSpec: { replicas: 1, template },
  filledIn: { apiGeneration: 'v1alpha1' },
  refused: [...sizes, ...others, ...names],
  accepted,
};
