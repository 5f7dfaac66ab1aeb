/**
 * Job of `batch.volcano.sh/v1alpha1`, field for field as Volcano defines it. Muster runs those with the plugin of a
 * framework.
 *
 * If Volcano's CRD is installed, it is used as it is: the operator validates Jobs by this schema when it reads them.
 */
import * as z from 'zod';
import type { KindDefinition } from './kind-definition.ts';
import type { Resource } from './kubernetes.ts';
import { jobSchema } from './job-schema.ts';
import { podTemplateWithRestartPolicySchema } from './pod-template.ts';
import { MAX_REPLICAS } from './replica-spec.ts';
import { withRules, type Rule } from './rule.ts';
import { count, subdomain } from './scalars.ts';
import { volcanoPoliciesSchema } from './volcano-policy.ts';
import { VOLCANO_JOB_VOCABULARY } from './volcano-vocabulary.ts';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

const MOST_TASKS = 32;

const topologySchema = () =>
  z
    .object({
      mode: z
        .enum(['hard', 'soft'])
        .describe('hard: the pods wait until they can be placed like this. soft: they do not wait.')
        .exactOptional(),
      highestTierAllowed: count().describe('Highest network tier that the pods may span.').exactOptional(),
      highestTierName: subdomain().describe('The same, by the name of the tier.').exactOptional(),
    })
    .describe('How close to each other the pods must be in the network.');

const taskSchema = z.object({
  name: z
    .string()
    .max(63)
    .regex(LABEL, 'must be a name of lower-case letters, digits and -, and begin and end with a letter or digit')
    .describe('Part of the pod names: <job>-<task>-<index>. Default: default<number of the task>.')
    .exactOptional(),
  replicas: z.int32().min(0).max(MAX_REPLICAS).describe('Number of pods. Default 0.').exactOptional(),
  minAvailable: count().describe('Number of pods that the job needs. Default: all.').exactOptional(),
  template: podTemplateWithRestartPolicySchema().describe('Template of the pods of the task.'),
  policies: volcanoPoliciesSchema()
    .describe("Actions on events of the task's pods. They come before spec.policies.")
    .exactOptional(),
  maxRetry: z
    .int32()
    .min(-1)
    .describe('Number of container restarts after which the event TaskFailed occurs; -1: never. Default 3.')
    .exactOptional(),
  dependsOn: z
    .object({
      name: z
        .array(z.string().max(63))
        .max(MOST_TASKS)
        .describe('Tasks that must have enough running or succeeded pods first.')
        .exactOptional(),
      iteration: z
        .enum(['any', 'all', ''])
        .describe('any: one of these tasks is enough. all: all of them. Default all.')
        .exactOptional(),
    })
    .describe("Delays the creation of the task's pods until other tasks have started.")
    .exactOptional(),
  topologyPolicy: z
    .enum(['none', 'best-effort', 'restricted', 'single-numa-node', ''])
    .describe('How the scheduler respects the NUMA topology of a node.')
    .exactOptional(),
  partitionPolicy: z
    .object({
      totalPartitions: z.int32().min(1).describe('Number of partitions.'),
      partitionSize: z.int32().min(1).describe('Number of pods of each partition.'),
      minPartitions: count().describe('Number of partitions that the job needs. Default 0.').exactOptional(),
      networkTopology: topologySchema().exactOptional(),
    })
    .describe('Groups of pods that are placed and restarted together.')
    .exactOptional(),
});

const volumeSchema = z.object({
  mountPath: z.string().min(1).max(4096).describe('Path at which containers mount the claim.'),
  volumeClaimName: z.string().max(253).describe('Name of the claim to mount.').exactOptional(),
  volumeClaim: z.looseObject({}).describe('Spec of the claim to create.').exactOptional(),
});

const bareSpecSchema = z.object({
  schedulerName: z.string().max(63).describe('Scheduler of the pods.').exactOptional(),
  minAvailable: count()
    .describe(
      'Number of pods that must run for the job to run, and succeed for it to succeed. Default: the sum over its tasks.',
    )
    .exactOptional(),
  minSuccess: z.int32().min(1).describe('The job is completed when this many pods have succeeded.').exactOptional(),
  tasks: z.array(taskSchema).min(1).max(MOST_TASKS).describe('Roles of the job.'),
  plugins: z
    .record(z.string(), z.array(z.string().max(4096)).max(64))
    .describe(
      'Plugins by name, each with its arguments. One selects the framework: tensorflow, pytorch, mpi, mxnet or ' +
        'ray. Others: svc, ssh and env.',
    )
    .exactOptional(),
  policies: volcanoPoliciesSchema().describe('Actions on events, if no policy of the task applies.').exactOptional(),
  volumes: z.array(volumeSchema).max(64).describe('Claims that the containers of all pods mount.').exactOptional(),
  queue: subdomain().describe('Queue of the scheduler. Default: default.').exactOptional(),
  maxRetry: count().describe('How often the job may be restarted. Default 3; 0 also means 3.').exactOptional(),
  ttlSecondsAfterFinished: count()
    .describe('Seconds from the end of the job until it is deleted. Default: never.')
    .exactOptional(),
  priorityClassName: subdomain().describe('PriorityClass of pods that set none.').exactOptional(),
  runningEstimate: z.string().describe('Estimated run time of the job, for the scheduler.').exactOptional(),
  networkTopology: topologySchema().exactOptional(),
});

type Spec = z.output<typeof bareSpecSchema>;

/** One task of a Volcano Job, as it is written. */
export type VolcanoTaskSpec = Spec['tasks'][number];

const SPEC_RULES: readonly Rule<Spec>[] = [
  {
    cel: 'self.tasks.all(t, !has(t.name) || self.tasks.filter(u, has(u.name) && u.name == t.name).size() == 1)',
    holds: ({ tasks }) => {
      const names = tasks.flatMap(({ name }) => name ?? []);
      return new Set(names).size === names.length;
    },
    message: 'two tasks have the same name, and so would their pods: rename one',
    at: ['tasks'],
  },
  {
    cel: 'self.tasks.all(t, !has(t.minAvailable) || t.minAvailable <= (has(t.replicas) ? t.replicas : 0))',
    holds: ({ tasks }) => tasks.every(({ minAvailable = 0, replicas = 0 }) => minAvailable <= replicas),
    message: 'minAvailable of a task must not be more than its replicas',
    at: ['tasks'],
  },
  {
    cel: '!has(self.minAvailable) || self.minAvailable <= self.tasks.map(t, has(t.replicas) ? t.replicas : 0).sum()',
    holds: ({ minAvailable = 0, tasks }) => minAvailable <= tasks.reduce((sum, { replicas = 0 }) => sum + replicas, 0),
    message: 'must not be more than the replicas of all tasks together',
    at: ['minAvailable'],
  },
];

/** Running pods were configured from these fields. */
const UNCHANGED: readonly Rule<Spec>[] = [
  {
    cel: 'has(self.plugins) == has(oldSelf.plugins) && (!has(self.plugins) || self.plugins == oldSelf.plugins)',
    message: 'field is immutable: delete the job and create it again',
    at: ['plugins'],
  },
  {
    cel: "self.tasks.map(t, has(t.name) ? t.name : '') == oldSelf.tasks.map(t, has(t.name) ? t.name : '')",
    message: 'tasks may not be added, removed or renamed: delete the job and create it again',
    at: ['tasks'],
  },
];

/** Written by the operator in Volcano's format. */
const statusSchema = z.looseObject({});

const volcanoJobSchema = jobSchema(
  'batch.volcano.sh/v1alpha1',
  'Job',
  withRules(bareSpecSchema, [...SPEC_RULES, ...UNCHANGED]).describe('Desired state of the job.'),
  statusSchema,
);

/** A job of several tasks; a plugin selects their framework. */
export type VolcanoJob = z.output<typeof volcanoJobSchema>;

export const VOLCANO_JOBS: Resource<VolcanoJob> = {
  group: 'batch.volcano.sh',
  version: 'v1alpha1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
};

/** The kind, its schema, and how kubectl shows it: as Volcano has it. */
export const volcanoJobDefinition: KindDefinition<VolcanoJob> = {
  resource: VOLCANO_JOBS,
  singular: 'job',
  shortNames: ['vcjob', 'vj'],
  vocabulary: VOLCANO_JOB_VOCABULARY,
  schema: volcanoJobSchema.describe('A job of several tasks.'),
  printerColumns: [
    { name: 'STATUS', type: 'string', jsonPath: '.status.state.phase', description: 'State of the job.' },
    {
      name: 'minAvailable',
      type: 'integer',
      jsonPath: '.status.minAvailable',
      description: 'Number of pods that the job needs.',
    },
    { name: 'RUNNINGS', type: 'integer', jsonPath: '.status.running', description: 'Number of running pods.' },
    {
      name: 'AGE',
      type: 'date',
      jsonPath: '.metadata.creationTimestamp',
      description: 'Time since the job was created.',
    },
    { name: 'QUEUE', type: 'string', jsonPath: '.spec.queue', description: 'Queue of the scheduler.', wide: true },
  ],
};
