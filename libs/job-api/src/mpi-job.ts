/**
 * MPIJob of `kubeflow.org` in three versions: v1alpha1, v1 (Kubeflow training operator) and v2beta1 (MPI operator),
 * all served by one CRD. Differences are listed in docs/administrators/differences.md.
 *
 * The schema has the fields of all three. A job keeps fields of other generations, which are ignored. See
 * `mpi-generation.ts` for the generation of a job.
 *
 * This CRD may replace one that served only one of the versions: objects stay as they were stored, with the generation
 * of their storage version. `status.storedVersions` then lists that version and v2beta1, which is harmless while all
 * three are served. Before a CRD that lacks one of them is installed, every job must be rewritten in a version that it
 * has, and the list reduced to that version; the API server rejects the CRD until then. Such a CRD has no generations:
 * jobs of other generations must be deleted first, or its operator would treat them as its own.
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
import { acceptingExistingViolations, withRules } from './rule.ts';
import {
  CLEAN_POD_POLICIES,
  MANAGED_BY_MPI_OPERATOR,
  MANAGED_BY_TRAINING_OPERATOR,
  runPolicySchema,
} from './run-policy.ts';
import { count } from './scalars.ts';
import { endedJobKeepsSize } from './ended-job-keeps-size.ts';

export { MPI_IMPLEMENTATIONS, type MPIImplementation } from './mpi-v2beta1.ts';

/** Shared by the schemas of all versions, to save memory in each operator. */
const FIELDS = {
  runPolicy: runPolicySchema(MPI_ROLES, {
    ours: [MANAGED_BY_MPI_OPERATOR, MANAGED_BY_TRAINING_OPERATOR],
    // Workers have no known port: the image chooses the port of sshd, or has none.
    waitsInPods: false,
  }),
  slotsPerWorker: count()
    .describe(
      'Slots of each worker in the hostfile: how many processes it runs. Default 1; in v1alpha1, the number of ' +
        'processing units of a worker.',
    )
    .exactOptional(),
  mpiReplicaSpecs: mpiReplicaSpecsSchema.exactOptional(),
  ...MPI_V2BETA1_FIELDS,
  cleanPodPolicy: z
    .enum([...CLEAN_POD_POLICIES, ''])
    .describe('v1 only: older form of runPolicy.cleanPodPolicy, which takes precedence.')
    .exactOptional(),
  mainContainer: z
    .string()
    .max(63)
    .describe('v1 only: container of the workers in which processes are started. Default: the first container.')
    .exactOptional(),
  ...MPI_V1ALPHA1_FIELDS,
};

const STATUS = jobStatusSchema
  .extend({
    launcherStatus: z
      .enum(['Active', 'Succeeded', 'Failed'])
      .describe('v1alpha1 only: state of the launcher.')
      .exactOptional(),
    workerReplicas: count().describe('v1alpha1 only: number of ready workers.').exactOptional(),
  })
  .describe('Observed state of the job. Written by the operator.')
  .exactOptional();

const API_VERSIONS =
  'kubeflow.org/v2beta1, kubeflow.org/v1 or kubeflow.org/v1alpha1. The version that the job is created in ' +
  'decides which rules apply.';

function mpiJobSchema(version: MPIGeneration) {
  const fields = z.object({ apiGeneration: apiGenerationSchema(version), ...FIELDS });
  const spec = withRules(
    fields,
    acceptingExistingViolations<z.output<typeof fields>>([
      ...MPI_ROLE_RULES,
      ...MPI_V2BETA1_RULES,
      ...MPI_V1ALPHA1_RULES,
    ]),
  );
  return jobSchema(API_VERSIONS, 'MPIJob', spec.describe('Desired state of the job.')).extend({ status: STATUS });
}

/** A distributed MPI job, of any of the three generations. */
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
  const rules = [...mpiNameRules<MPIJob>(), endedJobKeepsSize<MPIJob>('mpiReplicaSpecs', workersCel)];
  return withRules(mpiJobSchema(version), rules).describe('A distributed MPI job.');
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
    // v1alpha1 has three fields for its size, and none of them is the number of workers.
    ...(name !== 'v1alpha1' && { scale: scaleOfWorkers('mpiReplicaSpecs') }),
  })),
  printerColumns: JOB_COLUMNS,
};
