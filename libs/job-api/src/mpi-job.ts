/**
 * MPIJob of `kubeflow.org`, in the three forms that users have: v1alpha1, v1 (the Kubeflow training operator's) and
 * v2beta1 (the MPI operator's), all served by one CRD. Differences are listed in docs/administrators/differences.md.
 *
 * The schema has the fields of all three, and a job keeps those that are not of its generation, unread. Which generation
 * a job is: `mpi-generation.ts`.
 *
 * This CRD may take the place of one that served only one of the versions: objects stay as they were stored, and read as
 * of the generation that they were stored in. `status.storedVersions` of the CRD then lists that version and v2beta1. That
 * is no harm here, where all three stay served. But before a CRD is put back that lacks one of them, every job has to be
 * written anew in a version that it has, and the list cut down to that; the API server refuses it until then. Such a CRD
 * knows nothing of generations: jobs of the others have to be gone, for its operator would take them for its own.
 */
import * as z from 'zod';
import { jobSchema } from './job-schema.ts';
import { jobStatusSchema } from './job-status.ts';
import { JOB_COLUMNS, scaleOfWorkers, type KindDefinition } from './kind-definition.ts';
import type { Resource } from './kubernetes.ts';
import { apiGenerationSchema, MPI_GENERATIONS, type MPIGeneration } from './mpi-generation.ts';
import { mpiNameRules } from './mpi-name.ts';
import { MPI_ROLE_RULES, mpiReplicaSpecsSchema } from './mpi-replica-specs.ts';
import { MPI_ROLES } from './mpi-roles.ts';
import { MPI_V1ALPHA1_FIELDS, MPI_V1ALPHA1_RULES } from './mpi-v1alpha1.ts';
import { MPI_V2BETA1_FIELDS, MPI_V2BETA1_RULES } from './mpi-v2beta1.ts';
import { unlessBrokenBefore, withRules } from './rule.ts';
import {
  CLEAN_POD_POLICIES,
  MANAGED_BY_MPI_OPERATOR,
  MANAGED_BY_TRAINING_OPERATOR,
  runPolicySchema,
} from './run-policy.ts';
import { count } from './scalars.ts';
import { sizeOfEnded } from './size-of-ended.ts';

export { MPI_IMPLEMENTATIONS, type MPIImplementation } from './mpi-v2beta1.ts';

/** The same objects in the schemas of all versions: each operator holds them in memory. */
const FIELDS = {
  runPolicy: runPolicySchema(MPI_ROLES, {
    ours: [MANAGED_BY_MPI_OPERATOR, MANAGED_BY_TRAINING_OPERATOR],
    // Workers listen for ssh on a port of the image's choosing, or not at all.
    waitsInPods: false,
  }),
  slotsPerWorker: count()
    .describe(
      'How many processes each pod has room for, as the hostfile says. Default 1; in v1alpha1, the processing units that a ' +
        'worker has.',
    )
    .exactOptional(),
  mpiReplicaSpecs: mpiReplicaSpecsSchema.exactOptional(),
  ...MPI_V2BETA1_FIELDS,
  cleanPodPolicy: z
    .enum([...CLEAN_POD_POLICIES, ''])
    .describe('v1 only: an older place of runPolicy.cleanPodPolicy, which takes precedence.')
    .exactOptional(),
  mainContainer: z
    .string()
    .max(63)
    .describe('v1 only: the container of the workers in which processes are started. Default: the first one.')
    .exactOptional(),
  ...MPI_V1ALPHA1_FIELDS,
};

const STATUS = jobStatusSchema
  .extend({
    launcherStatus: z
      .enum(['Active', 'Succeeded', 'Failed'])
      .describe('v1alpha1 only: how the launcher is doing.')
      .exactOptional(),
    workerReplicas: count().describe('v1alpha1 only: how many workers are ready.').exactOptional(),
  })
  .describe('How the job is doing. Written by the operator.')
  .exactOptional();

const API_VERSIONS =
  'kubeflow.org/v2beta1, kubeflow.org/v1 or kubeflow.org/v1alpha1. That in which the job is created decides which rules it follows.';

function mpiJobSchema(version: MPIGeneration) {
  const fields = z.object({ apiGeneration: apiGenerationSchema(version), ...FIELDS });
  const spec = withRules(
    fields,
    unlessBrokenBefore<z.output<typeof fields>>([...MPI_ROLE_RULES, ...MPI_V2BETA1_RULES, ...MPI_V1ALPHA1_RULES]),
  );
  return jobSchema(API_VERSIONS, 'MPIJob', spec.describe('What is to be run.')).extend({ status: STATUS });
}

/** A distributed job over MPI, of any of the three generations. */
export type MPIJob = z.output<ReturnType<typeof mpiJobSchema>>;

export type MPIJobSpec = MPIJob['spec'];

export const MPI_JOBS: Resource<MPIJob> = {
  group: 'kubeflow.org',
  version: 'v2beta1',
  kind: 'MPIJob',
  plural: 'mpijobs',
  namespaced: true,
};

const workersCel = (job: string) => `${job}.?spec.?mpiReplicaSpecs[?'Worker'].?replicas.orValue(1)`;

function versionSchema(version: MPIGeneration) {
  const rules = [...mpiNameRules<MPIJob>(), sizeOfEnded<MPIJob>('mpiReplicaSpecs', workersCel)];
  return withRules(mpiJobSchema(version), rules).describe('A distributed job over MPI.');
}

const STORED = versionSchema('v2beta1');

/** The kind, its schema, and how kubectl shows it. */
export const mpiJobDefinition: KindDefinition<MPIJob> = {
  resource: MPI_JOBS,
  singular: 'mpijob',
  shortNames: ['mpij', 'mj'],
  schema: STORED,
  versions: MPI_GENERATIONS.map((name) => ({
    name,
    schema: name === MPI_JOBS.version ? STORED : versionSchema(name),
    // v1alpha1 says its size in three ways, and none of them counts workers.
    ...(name !== 'v1alpha1' && { scale: scaleOfWorkers('mpiReplicaSpecs') }),
  })),
  printerColumns: JOB_COLUMNS,
};
