/**
 * PyTorchJob of `kubeflow.org/v1`, field for field as the Kubeflow training operator defines it, with the rules that its
 * admission webhooks applied and those it lacked. Differences are listed in docs/differences.md.
 */
import { z } from 'zod';
import { jobNameRules } from './job-name.ts';
import { jobStatusSchema } from './job-status.ts';
import { JOB_COLUMNS, type KindDefinition } from './kind-definition.ts';
import type { ObjectMeta, Resource } from './kubernetes.ts';
import { replicaSpecSchema } from './replica-spec.ts';
import { withRules } from './rule.ts';
import { runPolicySchema } from './run-policy.ts';
import { count, port } from './scalars.ts';

export const PYTORCH_ROLES = ['Master', 'Worker'] as const;

export type PyTorchRole = (typeof PYTORCH_ROLES)[number];

/** The container that trains, in each pod. */
export const PYTORCH_CONTAINER = 'pytorch';

const atLeastOne = () => z.int32().min(1);

const rdzvConfEntry = withRules(
  z.object({
    key: z.string().max(256).describe('Name of the option.'),
    value: z.string().max(1024).describe('Its value.'),
  }),
  [
    {
      cel: "self.key.matches('^[^,=]*[^,=\\\\s][^,=]*$')",
      holds: ({ key }) => /^[^,=]*[^,=\s][^,=]*$/.test(key),
      message: 'must not be empty nor contain "," or "=": torchrun reads the options as key=value,key=value',
      at: ['key'],
    },
    {
      cel: "self.value.matches('^[^,]*[^,\\\\s][^,]*$')",
      holds: ({ value }) => /^[^,]*[^,\s][^,]*$/.test(value),
      message: 'must not be empty nor contain ",": torchrun reads the options as key=value,key=value',
      at: ['value'],
    },
  ],
).describe('One option.');

const elasticPolicySchema = withRules(
  z.object({
    minReplicas: atLeastOne()
      .describe('The least number of workers the job can go on with. Default: maxReplicas, else the number of workers.')
      .exactOptional(),
    maxReplicas: atLeastOne()
      .describe('The greatest number of workers. Default: minReplicas, else the number of workers.')
      .exactOptional(),
    rdzvBackend: z.string().describe('The rendezvous backend: c10d, etcd or etcd-v2. Default c10d.').exactOptional(),
    rdzvPort: port().describe("The rendezvous port. Default: the worker's port pytorchjob-port.").exactOptional(),
    rdzvHost: z.string().describe('The rendezvous host. Default: worker 0.').exactOptional(),
    rdzvId: z.string().describe('The identifier that all workers of the job give at rendezvous.').exactOptional(),
    rdzvConf: z.array(rdzvConfEntry).max(64).describe('Further options of the rendezvous backend.').exactOptional(),
    standalone: z.boolean().describe('Each pod makes its own rendezvous and trains alone on its node.').exactOptional(),
    nProcPerNode: count().describe('Deprecated: use spec.nprocPerNode.').exactOptional(),
    maxRestarts: count().describe('How often torchrun restarts its worker processes before it fails.').exactOptional(),
    metrics: z
      .array(
        z
          .looseObject({ type: z.string().describe('Resource, Pods, Object, External or ContainerResource.') })
          .describe('One metric, as in a HorizontalPodAutoscaler of autoscaling/v2.'),
      )
      .describe(
        'With this list a HorizontalPodAutoscaler scales the workers between minReplicas and maxReplicas by these metrics.',
      )
      .exactOptional(),
  }),
  [
    {
      cel: '!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas',
      holds: ({ minReplicas, maxReplicas }) =>
        minReplicas === undefined || maxReplicas === undefined || minReplicas <= maxReplicas,
      message: 'must not be greater than maxReplicas',
      at: ['minReplicas'],
    },
  ],
);

export type PyTorchElasticPolicy = z.output<typeof elasticPolicySchema>;

const replicaSpecsSchema = withRules(
  z
    .record(
      z.string(),
      replicaSpecSchema({ mainContainer: PYTORCH_CONTAINER, defaultRestartPolicy: 'OnFailure' }).describe(
        'One role of the job.',
      ),
    )
    .meta({ maxProperties: 10 }),
  [
    {
      cel: "self.all(role, role in ['Master', 'Worker'])",
      holds: (self) => Object.keys(self).every((role) => PYTORCH_ROLES.some((known) => known === role)),
      message: 'the only roles of a PyTorchJob are Master and Worker, spelled like that',
    },
    {
      cel: 'self.size() > 0',
      holds: (self) => Object.keys(self).length > 0,
      message: 'name at least one role, Master or Worker',
      reason: 'FieldValueRequired',
    },
  ],
);

const specSchema = withRules(
  z.object({
    runPolicy: runPolicySchema,
    elasticPolicy: elasticPolicySchema
      .describe('Makes the job elastic: workers may come and go within these bounds while it trains.')
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
      'The roles of the job: Worker, and optionally Master (one pod, which decides the outcome).',
    ),
  }),
  [
    {
      cel: "!has(self.elasticPolicy) || 'Worker' in self.pytorchReplicaSpecs",
      holds: (self) => self.elasticPolicy === undefined || 'Worker' in self.pytorchReplicaSpecs,
      message: 'an elastic job needs the role Worker',
      reason: 'FieldValueRequired',
      at: ['pytorchReplicaSpecs', 'Worker'],
    },
    {
      cel: "self.pytorchReplicaSpecs[?'Master'].?replicas.orValue(1) <= 1",
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
  ],
);

export type PyTorchJobSpec = z.output<typeof specSchema>;

const pytorchJobSchema = z.object({
  apiVersion: z.string().describe('kubeflow.org/v1').exactOptional(),
  kind: z.string().describe('PyTorchJob').exactOptional(),
  // Checked by the API server itself; typed as Kubernetes types it.
  metadata: (z.looseObject({}) as unknown as z.ZodType<ObjectMeta>).exactOptional(),
  spec: specSchema.describe('What is to be run.'),
  status: jobStatusSchema.describe('How the job is doing. Written by the operator.').exactOptional(),
});

/** A distributed PyTorch training job. */
export type PyTorchJob = z.output<typeof pytorchJobSchema>;

export const PYTORCH_JOBS: Resource<PyTorchJob> = {
  group: 'kubeflow.org',
  version: 'v1',
  kind: 'PyTorchJob',
  plural: 'pytorchjobs',
  namespaced: true,
};

/** The most workers that the job may come to have, by the spec or by an autoscaler. */
function mostWorkers({ spec }: PyTorchJob): number {
  const worker = spec.pytorchReplicaSpecs.Worker;
  if (worker === undefined) return 0;
  return Math.max(worker.replicas ?? 1, spec.elasticPolicy?.minReplicas ?? 1, spec.elasticPolicy?.maxReplicas ?? 1);
}

const nameRules = jobNameRules<PyTorchJob>([
  {
    role: 'Master',
    cel: (job) => `('Master' in ${job}.spec.pytorchReplicaSpecs ? 1 : 0)`,
    of: ({ spec }) => ('Master' in spec.pytorchReplicaSpecs ? 1 : 0),
  },
  {
    role: 'Worker',
    cel: (job) =>
      `('Worker' in ${job}.spec.pytorchReplicaSpecs ? [` +
      `${job}.spec.pytorchReplicaSpecs['Worker'].?replicas.orValue(1), ` +
      `${job}.spec.?elasticPolicy.?minReplicas.orValue(1), ` +
      `${job}.spec.?elasticPolicy.?maxReplicas.orValue(1)].max() : 0)`,
    of: mostWorkers,
  },
]);

/** The kind, its schema, and how kubectl shows it. */
export const pytorchJobDefinition: KindDefinition<PyTorchJob> = {
  resource: PYTORCH_JOBS,
  singular: 'pytorchjob',
  shortNames: ['ptjob'],
  schema: withRules(pytorchJobSchema, nameRules).describe('A distributed PyTorch training job.'),
  printerColumns: JOB_COLUMNS,
  scale: {
    specReplicasPath: '.spec.pytorchReplicaSpecs.Worker.replicas',
    statusReplicasPath: '.status.replicaStatuses.Worker.active',
    labelSelectorPath: '.status.replicaStatuses.Worker.selector',
  },
};
