/**
 * Job of `batch.volcano.sh/v1alpha1`, field for field as Volcano defines it. Muster runs those of which a plugin names a framework.
 *
 * Where Volcano has a CRD, that one is used as it is: this schema judges the Jobs then as the operator reads them.
 */
import * as z from 'zod';
import type { KindDefinition } from './kind-definition.ts';
import type { Resource } from './kubernetes.ts';
import { jobSchema } from './job-schema.ts';
import { podTemplateWithRestartPolicySchema } from './pod-template.ts';
import { MOST_REPLICAS } from './replica-spec.ts';
import { withRules, type Rule } from './rule.ts';
import { count } from './scalars.ts';
import { volcanoPoliciesSchema } from './volcano-policy.ts';
import { VOLCANO_JOB_WORDS } from './volcano-words.ts';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const MOST_TASKS = 32;

const subdomain = () => z.string().max(253).regex(SUBDOMAIN, 'must be a name of lower-case letters, digits, - and .');

const topologySchema = () =>
  z
    .object({
      mode: z.enum(['hard', 'soft']).describe('Whether the pods wait for such a place.').exactOptional(),
      highestTierAllowed: count().describe('The widest tier of the network that they may span.').exactOptional(),
      highestTierName: subdomain().describe('The same by the name of the tier.').exactOptional(),
    })
    .describe('How near to one another the pods have to be in the network.');

const taskSchema = z.object({
  name: z
    .string()
    .max(63)
    .regex(LABEL, 'must be a name of lower-case letters, digits and -, and begin and end with a letter or digit')
    .describe('Part of the names of its pods: <job>-<task>-<index>. Default: default<number of the task>.')
    .exactOptional(),
  replicas: z.int32().min(0).max(MOST_REPLICAS).describe('How many pods. Default 0.').exactOptional(),
  minAvailable: count().describe('How many of them the job needs. Default: all.').exactOptional(),
  template: podTemplateWithRestartPolicySchema().describe('What each pod of the task is made from.'),
  policies: volcanoPoliciesSchema()
    .describe('What follows from events of its pods, before spec.policies.')
    .exactOptional(),
  maxRetry: z
    .int32()
    .min(-1)
    .describe('After how many restarts of its containers the event TaskFailed comes; -1: never. Default 3.')
    .exactOptional(),
  dependsOn: z
    .object({
      name: z.array(z.string().max(63)).max(MOST_TASKS).describe('The tasks that have to be up first.').exactOptional(),
      iteration: z.enum(['any', 'all', '']).describe('Whether any of them is enough. Default all.').exactOptional(),
    })
    .describe('Its pods are made once other tasks are up.')
    .exactOptional(),
  topologyPolicy: z
    .enum(['none', 'best-effort', 'restricted', 'single-numa-node', ''])
    .describe("How the scheduler heeds a node's NUMA topology.")
    .exactOptional(),
  partitionPolicy: z
    .object({
      totalPartitions: z.int32().min(1).describe('How many partitions.'),
      partitionSize: z.int32().min(1).describe('Of how many pods each.'),
      minPartitions: count().describe('How many of them the job needs. Default 0.').exactOptional(),
      networkTopology: topologySchema().exactOptional(),
    })
    .describe('Pods that are restarted together, and placed together.')
    .exactOptional(),
});

const volumeSchema = z.object({
  mountPath: z.string().min(1).max(4096).describe('Where containers find it.'),
  volumeClaimName: z.string().max(253).describe('The claim that is mounted.').exactOptional(),
  volumeClaim: z.looseObject({}).describe('The claim that is made.').exactOptional(),
});

const bareSpecSchema = z.object({
  schedulerName: z.string().max(63).describe('Which scheduler places the pods.').exactOptional(),
  minAvailable: count()
    .describe("How many pods the job needs to run, and to have succeeded. Default: the sum of its tasks'.")
    .exactOptional(),
  minSuccess: z.int32().min(1).describe('The job is completed once so many pods have succeeded.').exactOptional(),
  tasks: z.array(taskSchema).min(1).max(MOST_TASKS).describe('The roles of the job.'),
  plugins: z
    .record(z.string(), z.array(z.string().max(4096)).max(64))
    .describe(
      'Plugins by name, each with its arguments. One names the framework: tensorflow, pytorch, mpi, mxnet or ray. Beside it svc, ' +
        'ssh and env.',
    )
    .exactOptional(),
  policies: volcanoPoliciesSchema()
    .describe('What follows from events, where the task does not say it.')
    .exactOptional(),
  volumes: z.array(volumeSchema).max(64).describe('Claims that containers of all pods mount.').exactOptional(),
  queue: subdomain().describe("The scheduler's queue. Default: default.").exactOptional(),
  maxRetry: count().describe('How often the job may be restarted. Default 3, and so is 0.').exactOptional(),
  ttlSecondsAfterFinished: count().describe('The job is deleted this many seconds after its end.').exactOptional(),
  priorityClassName: subdomain().describe('The PriorityClass of pods that name none.').exactOptional(),
  runningEstimate: z.string().describe('How long the job may run, for the scheduler.').exactOptional(),
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
    message: 'two tasks have one name: their pods would, too',
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

/** Pods have been told what they follow from. */
const UNCHANGED: readonly Rule<Spec>[] = [
  {
    cel: 'has(self.plugins) == has(oldSelf.plugins) && (!has(self.plugins) || self.plugins == oldSelf.plugins)',
    message: 'field is immutable: delete the job and create it anew',
    at: ['plugins'],
  },
  {
    cel: "self.tasks.map(t, has(t.name) ? t.name : '') == oldSelf.tasks.map(t, has(t.name) ? t.name : '')",
    message: 'tasks may not be added, removed or renamed: delete the job and create it anew',
    at: ['tasks'],
  },
];

/** Written by the operator in Volcano's words. */
const statusSchema = z.looseObject({});

const volcanoJobSchema = jobSchema(
  'batch.volcano.sh/v1alpha1',
  'Job',
  withRules(bareSpecSchema, [...SPEC_RULES, ...UNCHANGED]).describe('What is to be run.'),
  statusSchema,
);

/** A job of several tasks, of which a plugin says what framework they are of. */
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
  words: VOLCANO_JOB_WORDS,
  schema: volcanoJobSchema.describe('A job of several tasks.'),
  printerColumns: [
    { name: 'STATUS', type: 'string', jsonPath: '.status.state.phase', description: 'The state of the job.' },
    { name: 'minAvailable', type: 'integer', jsonPath: '.status.minAvailable', description: 'The pods that it needs.' },
    { name: 'RUNNINGS', type: 'integer', jsonPath: '.status.running', description: 'The pods that run.' },
    { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'How long ago it was created.' },
    { name: 'QUEUE', type: 'string', jsonPath: '.spec.queue', description: "The scheduler's queue.", wide: true },
  ],
};
