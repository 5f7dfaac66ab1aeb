/**
 * JAXJob of `kubeflow.org/v1`. Role names are case-insensitive. Differences from Kubeflow's operator are listed in
 * docs/administrators/differences.md.
 */
import * as z from 'zod';
import { anyCaseReplicaSpecs, replicasCel, replicasIn, suffixOfSpecs } from './any-case-roles.ts';
import { endedJobKeepsSize } from './ended-job-keeps-size.ts';
import { jobNameRules } from './job-name.ts';
import { jobSchema } from './job-schema.ts';
import { JOB_COLUMNS, scaleOfWorkers, type KindDefinition } from './kind-definition.ts';
import type { Resource } from './kubernetes.ts';
import { acceptingExistingViolations, withRules } from './rule.ts';
import { runPolicySchema } from './run-policy.ts';

export const JAX_ROLES = ['Worker'] as const;

/** Name of the main container. */
export const JAX_CONTAINER = 'jax';

const ROLES = {
  kind: 'JAXJob',
  field: 'jaxReplicaSpecs',
  roles: JAX_ROLES,
  mainContainer: JAX_CONTAINER,
  defaultRestartPolicy: 'Never',
} as const;

const bareSpecSchema = z.object({
  runPolicy: runPolicySchema(JAX_ROLES),
  jaxReplicaSpecs: anyCaseReplicaSpecs(ROLES).describe(
    'The role of the job: Worker. The job succeeds when all workers have.',
  ),
});

type Spec = z.output<typeof bareSpecSchema>;

const specSchema = withRules(
  bareSpecSchema,
  acceptingExistingViolations<Spec>([
    {
      cel: `!has(self.jaxReplicaSpecs) || ${replicasCel('self.jaxReplicaSpecs', 'Worker')} > 0`,
      holds: (self) => replicasIn(self.jaxReplicaSpecs, 'Worker') > 0,
      message: 'the role Worker is needed, with at least one replica',
      reason: 'FieldValueRequired',
      at: ['jaxReplicaSpecs', 'Worker'],
    },
  ]),
);

const jaxJobSchema = jobSchema('kubeflow.org/v1', 'JAXJob', specSchema.describe('Desired state of the job.'));

/** A distributed JAX training job. */
export type JAXJob = z.output<typeof jaxJobSchema>;

export const JAX_JOBS: Resource<JAXJob> = {
  group: 'kubeflow.org',
  version: 'v1',
  kind: 'JAXJob',
  plural: 'jaxjobs',
  namespaced: true,
};

const workersCel = (job: string) =>
  `(has(${job}.spec) && has(${job}.spec.jaxReplicaSpecs) ? ${replicasCel(`${job}.spec.jaxReplicaSpecs`, 'Worker')} : 0)`;

/** The kind, its schema, and how kubectl shows it. */
export const jaxJobDefinition: KindDefinition<JAXJob> = {
  resource: JAX_JOBS,
  singular: 'jaxjob',
  shortNames: [],
  schema: withRules(jaxJobSchema, [
    ...jobNameRules<JAXJob>(suffixOfSpecs(ROLES.field, ({ spec }) => spec.jaxReplicaSpecs)),
    endedJobKeepsSize<JAXJob>(ROLES.field, workersCel),
  ]).describe('A distributed JAX training job.'),
  printerColumns: JOB_COLUMNS,
  scale: scaleOfWorkers(ROLES.field),
};
