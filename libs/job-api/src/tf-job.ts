/**
 * TFJob of `kubeflow.org/v1`, field for field as the Kubeflow training operator defines it. Role names are
 * case-insensitive, as there. Differences are listed in docs/administrators/differences.md.
 */
import * as z from 'zod';
import { anyCaseReplicaSpecs, atMostOne, replicasCel, replicasIn, suffixOfSpecs } from './any-case-roles.ts';
import { jobNameRules } from './job-name.ts';
import { jobSchema } from './job-schema.ts';
import { JOB_COLUMNS, scaleOfWorkers, type KindDefinition } from './kind-definition.ts';
import type { Resource } from './kubernetes.ts';
import { acceptingExistingViolations, withRules } from './rule.ts';
import { runPolicySchema } from './run-policy.ts';
import { TF_ROLES, type TFRole } from './tf-roles.ts';
import { endedJobKeepsSize } from './ended-job-keeps-size.ts';
import { whileJobHasPods } from './while-job-has-pods.ts';

/** Name of the main container. */
export const TF_CONTAINER = 'tensorflow';

const ROLES = {
  kind: 'TFJob',
  field: 'tfReplicaSpecs',
  roles: TF_ROLES,
  mainContainer: TF_CONTAINER,
  defaultRestartPolicy: 'Never',
} as const;

/** Roles that can decide when the job has ended. */
const DECIDING: readonly TFRole[] = ['Chief', 'Master', 'Worker'];

const bareSpecSchema = z.object({
  runPolicy: runPolicySchema(TF_ROLES),
  successPolicy: z
    .enum(['AllWorkers', ''])
    .describe(
      'When a job without Chief and Master has succeeded. AllWorkers: when all workers have. Default: when ' +
        'worker 0 has.',
    )
    .exactOptional(),
  enableDynamicWorker: z
    .boolean()
    .describe(
      'Workers can be added and removed while the job runs. TF_CONFIG of each worker has only that worker and ' +
        'the parameter servers. A worker that fails does not fail the job. Default false.',
    )
    .exactOptional(),
  tfReplicaSpecs: anyCaseReplicaSpecs(ROLES).describe(
    'Roles of the job: Chief (or Master), Worker, PS (parameter servers) and Evaluator.',
  ),
});

type Spec = z.output<typeof bareSpecSchema>;

const specSchema = withRules(
  bareSpecSchema,
  acceptingExistingViolations<Spec>([
    {
      cel: `!has(self.tfReplicaSpecs) || self.tfReplicaSpecs.filter(r, r.lowerAscii() in ['chief', 'master']).size() <= 1`,
      holds: ({ tfReplicaSpecs }) =>
        Object.keys(tfReplicaSpecs).filter((role) => ['chief', 'master'].includes(role.toLowerCase())).length <= 1,
      message: 'Chief and Master are two names of one role: keep one',
      reason: 'FieldValueForbidden',
      at: ['tfReplicaSpecs'],
    },
    ...atMostOne<Spec>('tfReplicaSpecs', 'Chief', 'a TFJob has one chief'),
    ...atMostOne<Spec>('tfReplicaSpecs', 'Master', 'a TFJob has one master'),
    {
      cel: `!has(self.tfReplicaSpecs) || ${replicasCel('self.tfReplicaSpecs', ...DECIDING)} > 0`,
      holds: ({ tfReplicaSpecs }) => replicasIn(tfReplicaSpecs, ...DECIDING) > 0,
      message:
        'name the role Worker or Chief, with at least one replica: parameter servers and evaluators do not ' +
        'decide when the job has ended, so it would never end',
      reason: 'FieldValueRequired',
      at: ['tfReplicaSpecs'],
    },
  ]),
);

const tfJobSchema = jobSchema('kubeflow.org/v1', 'TFJob', specSchema.describe('Desired state of the job.'));

/** A distributed TensorFlow training job. */
export type TFJob = z.output<typeof tfJobSchema>;

export const TF_JOBS: Resource<TFJob> = {
  group: 'kubeflow.org',
  version: 'v1',
  kind: 'TFJob',
  plural: 'tfjobs',
  namespaced: true,
};

const workersCel = (job: string) =>
  `(has(${job}.spec) && has(${job}.spec.tfReplicaSpecs) ? ${replicasCel(`${job}.spec.tfReplicaSpecs`, 'Worker')} : 0)`;

const FIXED_WORKERS = whileJobHasPods<TFJob>({
  cel: `self.?spec.?enableDynamicWorker.orValue(false) || ${workersCel('self')} == ${workersCel('oldSelf')}`,
  message:
    'cannot be changed while the job runs: TF_CONFIG of each of its pods lists all others. Set ' +
    'spec.runPolicy.suspend to true first, or create the job with spec.enableDynamicWorker: true',
  reason: 'FieldValueForbidden',
  at: ['spec', 'tfReplicaSpecs', 'Worker', 'replicas'],
});

/** The kind, its schema, and how kubectl shows it. */
export const tfJobDefinition: KindDefinition<TFJob> = {
  resource: TF_JOBS,
  singular: 'tfjob',
  shortNames: [],
  schema: withRules(tfJobSchema, [
    ...jobNameRules<TFJob>(suffixOfSpecs(ROLES.field, ({ spec }) => spec.tfReplicaSpecs)),
    FIXED_WORKERS,
    endedJobKeepsSize(ROLES.field, workersCel),
  ]).describe('A distributed TensorFlow training job.'),
  printerColumns: JOB_COLUMNS,
  scale: scaleOfWorkers(ROLES.field),
};
