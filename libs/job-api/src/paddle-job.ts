/**
 * PaddleJob of `kubeflow.org/v1`. Role names are case-insensitive. Differences from Kubeflow's operator are listed in
 * docs/administrators/differences.md.
 */
import * as z from 'zod';
import {
  anyCaseReplicaSpecs,
  atMostOne,
  replicasCel,
  replicasIn,
  roleIn,
  suffixOfSpecs,
  withElasticWorkers,
} from './any-case-roles.ts';
import { sizeWithinBounds } from './elastic-size.ts';
import { endedJobKeepsSize } from './ended-job-keeps-size.ts';
import { jobNameRules } from './job-name.ts';
import { jobSchema } from './job-schema.ts';
import { elasticJobStatusSchema } from './job-status.ts';
import { JOB_COLUMNS, scaleOfWorkers, type KindDefinition } from './kind-definition.ts';
import type { Resource } from './kubernetes.ts';
import { paddleElasticPolicySchema } from './paddle-elastic-policy.ts';
import { acceptingExistingViolations, withRules } from './rule.ts';
import { runPolicySchema } from './run-policy.ts';

export const PADDLE_ROLES = ['Master', 'Worker'] as const;

/** Name of the main container. */
export const PADDLE_CONTAINER = 'paddle';

const ROLES = {
  kind: 'PaddleJob',
  field: 'paddleReplicaSpecs',
  roles: PADDLE_ROLES,
  mainContainer: PADDLE_CONTAINER,
  defaultRestartPolicy: 'OnFailure',
} as const;

const bareSpecSchema = z.object({
  runPolicy: runPolicySchema(PADDLE_ROLES),
  elasticPolicy: paddleElasticPolicySchema
    .describe(
      'Makes the job elastic: the number of workers can change within these bounds while it trains. All pods are ' +
        'recreated with the new number, unless the launcher uses etcd.',
    )
    .exactOptional(),
  paddleReplicaSpecs: anyCaseReplicaSpecs(ROLES).describe(
    'Roles of the job: Worker, and optionally Master (one pod, which decides the outcome).',
  ),
});

type Spec = z.output<typeof bareSpecSchema>;

const specSchema = withRules(
  bareSpecSchema,
  acceptingExistingViolations<Spec>([
    {
      cel: `!has(self.paddleReplicaSpecs) || ${replicasCel('self.paddleReplicaSpecs', ...PADDLE_ROLES)} > 0`,
      holds: (self) => replicasIn(self.paddleReplicaSpecs, ...PADDLE_ROLES) > 0,
      message: 'name the role Worker or Master, with at least one replica',
      reason: 'FieldValueRequired',
      at: ['paddleReplicaSpecs'],
    },
    {
      cel: "!has(self.elasticPolicy) || !has(self.paddleReplicaSpecs) || self.paddleReplicaSpecs.exists(r, r.lowerAscii() == 'worker')",
      holds: (self) => self.elasticPolicy === undefined || roleIn(self.paddleReplicaSpecs, 'Worker') !== undefined,
      message: 'an elastic job needs the role Worker',
      reason: 'FieldValueRequired',
      at: ['paddleReplicaSpecs', 'Worker'],
    },
    ...atMostOne<Spec>(
      'paddleReplicaSpecs',
      'Master',
      'a PaddleJob has one master; further pods go into the role Worker',
    ),
  ]),
);

const paddleJobSchema = jobSchema(
  'kubeflow.org/v1',
  'PaddleJob',
  specSchema.describe('Desired state of the job.'),
  elasticJobStatusSchema,
);

/** A distributed Paddle training job. */
export type PaddleJob = z.output<typeof paddleJobSchema>;

export const PADDLE_JOBS: Resource<PaddleJob> = {
  group: 'kubeflow.org',
  version: 'v1',
  kind: 'PaddleJob',
  plural: 'paddlejobs',
  namespaced: true,
};

const workersCel = (job: string) =>
  `(has(${job}.spec) && has(${job}.spec.paddleReplicaSpecs) ? ${replicasCel(`${job}.spec.paddleReplicaSpecs`, 'Worker')} : 0)`;

/** The kind, its schema, and how kubectl shows it. */
export const paddleJobDefinition: KindDefinition<PaddleJob> = {
  resource: PADDLE_JOBS,
  singular: 'paddlejob',
  shortNames: [],
  schema: withRules(paddleJobSchema, [
    ...jobNameRules<PaddleJob>(
      withElasticWorkers(
        suffixOfSpecs(ROLES.field, ({ spec }) => spec.paddleReplicaSpecs),
        ({ spec }) => spec.elasticPolicy,
      ),
    ),
    sizeWithinBounds<PaddleJob>({
      field: ROLES.field,
      workersCel,
      why:
        'the autoscaler, or a launcher that uses etcd, works with these bounds. To change the bounds too, set ' +
        'spec.runPolicy.suspend to true first',
    }),
    endedJobKeepsSize<PaddleJob>(ROLES.field, workersCel),
  ]).describe('A distributed Paddle training job.'),
  printerColumns: JOB_COLUMNS,
  scale: scaleOfWorkers(ROLES.field),
};
