/**
 * PyTorchJob of `kubeflow.org/v1`, field for field as the Kubeflow training operator defines it, with the rules that its
 * admission webhooks applied and those it lacked. Differences are listed in docs/administrators/differences.md.
 */
import * as z from 'zod';
import { sizeWithinBounds } from './elastic-size.ts';
import { jobNameRules, suffixOfRoles } from './job-name.ts';
import { jobSchema } from './job-schema.ts';
import { elasticJobStatusSchema } from './job-status.ts';
import { JOB_COLUMNS, scaleOfWorkers, type KindDefinition } from './kind-definition.ts';
import type { Resource } from './kubernetes.ts';
import { elasticPolicySchema } from './pytorch-elastic-policy.ts';
import { PYTORCH_ROLES, type PyTorchRole } from './pytorch-roles.ts';
import { replicaSpecSchema } from './replica-spec.ts';
import { acceptingExistingViolations, withRules } from './rule.ts';
import { runPolicySchema } from './run-policy.ts';
import { endedJobKeepsSize } from './ended-job-keeps-size.ts';

/** Name of the main container. */
export const PYTORCH_CONTAINER = 'pytorch';

const replicaSpecsSchema = withRules(
  z
    .record(
      z.string(),
      replicaSpecSchema({ mainContainer: PYTORCH_CONTAINER, defaultRestartPolicy: 'OnFailure', leastReplicas: 1 }),
    )
    .meta({ maxProperties: 10 }),
  acceptingExistingViolations([
    {
      cel: "self.all(role, role in ['Master', 'Worker'])",
      holds: (self) => Object.keys(self).every((role) => PYTORCH_ROLES.some((known) => known === role)),
      message: 'the only roles of a PyTorchJob are Master and Worker, in this spelling',
    },
    {
      cel: 'self.size() > 0',
      holds: (self) => Object.keys(self).length > 0,
      message: 'name at least one role, Master or Worker',
      reason: 'FieldValueRequired',
    },
  ]),
);

const specSchema = withRules(
  z.object({
    runPolicy: runPolicySchema(PYTORCH_ROLES),
    elasticPolicy: elasticPolicySchema
      .describe('Makes the job elastic: the number of workers can change within these bounds while it trains.')
      .exactOptional(),
    nprocPerNode: withRules(
      z.string().describe('Processes per pod: auto, cpu, gpu or a number, in quotes. Default auto.'),
      [
        {
          cel: "self.matches('^(auto|cpu|gpu|[1-9][0-9]*)$')",
          holds: (self) => /^(auto|cpu|gpu|[1-9][0-9]*)$/.test(self),
          message: 'must be auto, cpu, gpu or a positive whole number in quotes',
        },
      ],
    ).exactOptional(),
    pytorchReplicaSpecs: replicaSpecsSchema.describe(
      'Roles of the job: Worker, and optionally Master (one pod, which decides the outcome).',
    ),
  }),
  acceptingExistingViolations([
    {
      cel: "!has(self.elasticPolicy) || self.?pytorchReplicaSpecs[?'Worker'].hasValue()",
      holds: (self) => self.elasticPolicy === undefined || 'Worker' in self.pytorchReplicaSpecs,
      message: 'an elastic job needs the role Worker',
      reason: 'FieldValueRequired',
      at: ['pytorchReplicaSpecs', 'Worker'],
    },
    {
      cel: "self.?pytorchReplicaSpecs[?'Master'].?replicas.orValue(1) <= 1",
      holds: (self) => (self.pytorchReplicaSpecs.Master?.replicas ?? 1) <= 1,
      message: 'must be 1: a PyTorchJob has one master; further pods go into the role Worker',
      reason: 'FieldValueForbidden',
      at: ['pytorchReplicaSpecs', 'Master', 'replicas'],
    },
    {
      cel: '!has(self.elasticPolicy) || !has(self.elasticPolicy.nProcPerNode) || !has(self.nprocPerNode)',
      holds: (self) => self.elasticPolicy?.nProcPerNode === undefined || self.nprocPerNode === undefined,
      message: 'remove it: it is the deprecated form of spec.nprocPerNode, which is set too',
      reason: 'FieldValueForbidden',
      at: ['elasticPolicy', 'nProcPerNode'],
    },
  ]),
);

export type PyTorchJobSpec = z.output<typeof specSchema>;

const pytorchJobSchema = jobSchema(
  'kubeflow.org/v1',
  'PyTorchJob',
  specSchema.describe('Desired state of the job.'),
  elasticJobStatusSchema,
);

/** A distributed PyTorch training job. */
export type PyTorchJob = z.output<typeof pytorchJobSchema>;

export const PYTORCH_JOBS: Resource<PyTorchJob> = {
  group: 'kubeflow.org',
  version: 'v1',
  kind: 'PyTorchJob',
  plural: 'pytorchjobs',
  namespaced: true,
};

/** Maximum number of workers, set by the spec or by an autoscaler. */
function mostWorkers({ spec }: PyTorchJob): number {
  const worker = spec.pytorchReplicaSpecs.Worker;
  if (worker === undefined) return 0;
  return Math.max(worker.replicas ?? 1, spec.elasticPolicy?.minReplicas ?? 1, spec.elasticPolicy?.maxReplicas ?? 1);
}

/** Must not error on jobs stored before the schema existed: a rule that errors also rejects updates of the status. */
const replicaSpecCel = (job: string, role: PyTorchRole) => `${job}.?spec.?pytorchReplicaSpecs[?'${role}']`;

const nameRules = jobNameRules(
  suffixOfRoles<PyTorchJob>([
    {
      role: 'Master',
      cel: (job) => `(${replicaSpecCel(job, 'Master')}.hasValue() ? 1 : 0)`,
      of: ({ spec }) => ('Master' in spec.pytorchReplicaSpecs ? 1 : 0),
    },
    {
      role: 'Worker',
      cel: (job) =>
        `(${replicaSpecCel(job, 'Worker')}.hasValue() ? [${replicaSpecCel(job, 'Worker')}.?replicas.orValue(1), ` +
        `${job}.?spec.?elasticPolicy.?minReplicas.orValue(1), ` +
        `${job}.?spec.?elasticPolicy.?maxReplicas.orValue(1)].max() : 0)`,
      of: mostWorkers,
    },
  ]),
);

const workersCel = (job: string) => `${replicaSpecCel(job, 'Worker')}.?replicas.orValue(1)`;

/** torchrun counts nodes, including the master. */
const ELASTIC_BOUNDS = sizeWithinBounds<PyTorchJob>({
  field: 'pytorchReplicaSpecs',
  workersCel,
  othersCel: `(${replicaSpecCel('self', 'Master')}.hasValue() ? 1 : 0)`,
  why:
    'its pods were started with these bounds (PET_NNODES), so torchrun waits for missing workers and leaves extra ones ' +
    'idle. To change the bounds too, set spec.runPolicy.suspend to true first',
});

/** The kind, its schema, and how kubectl shows it. */
export const pytorchJobDefinition: KindDefinition<PyTorchJob> = {
  resource: PYTORCH_JOBS,
  singular: 'pytorchjob',
  shortNames: ['ptjob'],
  schema: withRules(pytorchJobSchema, [
    ...nameRules,
    ELASTIC_BOUNDS,
    endedJobKeepsSize('pytorchReplicaSpecs', workersCel),
  ]).describe('A distributed PyTorch training job.'),
  printerColumns: JOB_COLUMNS,
  scale: scaleOfWorkers('pytorchReplicaSpecs'),
};
