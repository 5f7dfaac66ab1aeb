/**
 * MXJob of `kubeflow.org/v1`, field for field as the Kubeflow training operator had it until release 1.8. Role names
 * are case-insensitive. Differences are listed in docs/administrators/differences.md.
 */
import * as z from 'zod';
import { anyCaseReplicaSpecs, atMostOne, replicasCel, replicasIn, suffixOfSpecs } from './any-case-roles.ts';
import { jobNameRules } from './job-name.ts';
import { jobSchema } from './job-schema.ts';
import { JOB_COLUMNS, type KindDefinition } from './kind-definition.ts';
import type { Resource } from './kubernetes.ts';
import { MX_ROLES, type MXRole } from './mx-roles.ts';
import { acceptingExistingViolations, withRules, type Rule } from './rule.ts';
import { runPolicySchema } from './run-policy.ts';

/** `MXTrain`: distributed training over parameter servers. `MXTune`: TVM's search for fast kernels. */
export const MX_JOB_MODES = ['MXTrain', 'MXTune'] as const;

export type MXJobMode = (typeof MX_JOB_MODES)[number];

/** Name of the main container. */
export const MX_CONTAINER = 'mxnet';

const ROLES = {
  kind: 'MXJob',
  field: 'mxReplicaSpecs',
  roles: MX_ROLES,
  mainContainer: MX_CONTAINER,
  defaultRestartPolicy: 'Never',
} as const;

const bareSpecSchema = z.object({
  runPolicy: runPolicySchema(MX_ROLES),
  jobMode: z
    .enum(MX_JOB_MODES)
    .describe(
      'MXTrain: training, which succeeds when all workers have. MXTune: tuning by TVM, which succeeds when all ' +
        'tuners have.',
    ),
  mxReplicaSpecs: anyCaseReplicaSpecs(ROLES).describe(
    'Roles of the job. MXTrain: Scheduler, Server and Worker. MXTune: TunerTracker, TunerServer and Tuner.',
  ),
});

type Spec = z.output<typeof bareSpecSchema>;

/** Jobs stored before the schema existed may lack it. A rule that errors would also reject updates of the status. */
const MODE = "self.?jobMode.orValue('')";

/** `mode` requires a replica of `role`. */
function needs(mode: MXJobMode, role: MXRole, why: string): Rule<Spec> {
  return {
    cel: `!has(self.mxReplicaSpecs) || ${MODE} != '${mode}' || ${replicasCel('self.mxReplicaSpecs', role)} > 0`,
    holds: ({ jobMode, mxReplicaSpecs }) => jobMode !== mode || replicasIn(mxReplicaSpecs, role) > 0,
    message: `${mode} needs the role ${role}, with at least one replica: ${why}`,
    reason: 'FieldValueRequired',
    at: ['mxReplicaSpecs', role],
  };
}

const SCHEDULER_IF_DISTRIBUTED: Rule<Spec> = {
  ...needs('MXTrain', 'Scheduler', 'servers and workers find each other through it; only a single worker needs none'),
  cel:
    `!has(self.mxReplicaSpecs) || ${MODE} != 'MXTrain' || ${replicasCel('self.mxReplicaSpecs', 'Scheduler')} > 0 || ` +
    `${replicasCel('self.mxReplicaSpecs', ...MX_ROLES)} <= 1`,
  holds: ({ jobMode, mxReplicaSpecs }) =>
    jobMode !== 'MXTrain' ||
    replicasIn(mxReplicaSpecs, 'Scheduler') > 0 ||
    replicasIn(mxReplicaSpecs, ...MX_ROLES) <= 1,
};

const specSchema = withRules(
  bareSpecSchema,
  acceptingExistingViolations<Spec>([
    needs('MXTrain', 'Worker', 'the job ends with its workers'),
    SCHEDULER_IF_DISTRIBUTED,
    ...atMostOne<Spec>('mxReplicaSpecs', 'Scheduler', 'an MXJob has one scheduler'),
    needs('MXTune', 'TunerTracker', 'tuners find their devices through it'),
    needs('MXTune', 'Tuner', 'the job ends with its tuners'),
  ]),
);

const mxJobSchema = jobSchema('kubeflow.org/v1', 'MXJob', specSchema.describe('Desired state of the job.'));

/** A distributed MXNet training or tuning job. */
export type MXJob = z.output<typeof mxJobSchema>;

export const MX_JOBS: Resource<MXJob> = {
  group: 'kubeflow.org',
  version: 'v1',
  kind: 'MXJob',
  plural: 'mxjobs',
  namespaced: true,
};

/** The kind, its schema, and how kubectl shows it. */
export const mxJobDefinition: KindDefinition<MXJob> = {
  resource: MX_JOBS,
  singular: 'mxjob',
  shortNames: [],
  schema: withRules(
    mxJobSchema,
    jobNameRules<MXJob>(suffixOfSpecs(ROLES.field, ({ spec }) => spec.mxReplicaSpecs)),
  ).describe('A distributed MXNet training or tuning job.'),
  printerColumns: JOB_COLUMNS,
};
