/**
 * XGBoostJob of `kubeflow.org/v1`. Role names are case-insensitive. Differences from Kubeflow's operator are listed in
 * docs/administrators/differences.md.
 */
import * as z from 'zod';
import { anyCaseReplicaSpecs, atMostOne, replicasCel, replicasIn, suffixOfSpecs } from './any-case-roles.ts';
import { jobNameRules } from './job-name.ts';
import { jobSchema } from './job-schema.ts';
import { JOB_COLUMNS, type KindDefinition } from './kind-definition.ts';
import type { Resource } from './kubernetes.ts';
import { acceptingExistingViolations, withRules } from './rule.ts';
import { runPolicySchema } from './run-policy.ts';

export const XGBOOST_ROLES = ['Master', 'Worker'] as const;

/** Name of the main container. */
export const XGBOOST_CONTAINER = 'xgboost';

const ROLES = {
  kind: 'XGBoostJob',
  field: 'xgbReplicaSpecs',
  roles: XGBOOST_ROLES,
  mainContainer: XGBOOST_CONTAINER,
  defaultRestartPolicy: 'Never',
} as const;

const bareSpecSchema = z.object({
  runPolicy: runPolicySchema(XGBOOST_ROLES),
  xgbReplicaSpecs: anyCaseReplicaSpecs(ROLES).describe(
    'Roles of the job: Master (one pod, which decides the outcome), and optionally Worker.',
  ),
});

type Spec = z.output<typeof bareSpecSchema>;

const specSchema = withRules(
  bareSpecSchema,
  acceptingExistingViolations<Spec>([
    {
      cel: `!has(self.xgbReplicaSpecs) || ${replicasCel('self.xgbReplicaSpecs', 'Master')} > 0`,
      holds: (self) => replicasIn(self.xgbReplicaSpecs, 'Master') > 0,
      message: 'the role Master is needed, with one replica: it decides the outcome',
      reason: 'FieldValueRequired',
      at: ['xgbReplicaSpecs', 'Master'],
    },
    ...atMostOne<Spec>(
      'xgbReplicaSpecs',
      'Master',
      'an XGBoostJob has one master; further pods go into the role Worker',
    ),
  ]),
);

const xgboostJobSchema = jobSchema('kubeflow.org/v1', 'XGBoostJob', specSchema.describe('Desired state of the job.'));

/** A distributed XGBoost training job. */
export type XGBoostJob = z.output<typeof xgboostJobSchema>;

export const XGBOOST_JOBS: Resource<XGBoostJob> = {
  group: 'kubeflow.org',
  version: 'v1',
  kind: 'XGBoostJob',
  plural: 'xgboostjobs',
  namespaced: true,
};

/** The kind, its schema, and how kubectl shows it. */
export const xgboostJobDefinition: KindDefinition<XGBoostJob> = {
  resource: XGBOOST_JOBS,
  singular: 'xgboostjob',
  shortNames: [],
  schema: withRules(xgboostJobSchema, [
    ...jobNameRules<XGBoostJob>(suffixOfSpecs(ROLES.field, ({ spec }) => spec.xgbReplicaSpecs)),
  ]).describe('A distributed XGBoost training job.'),
  printerColumns: JOB_COLUMNS,
};
