/** What a job's status says: Kubeflow's fields, and those that Muster adds for people. */
import * as z from 'zod';
import { CONDITION_TYPES } from './conditions.ts';
import { jobFailureSchema } from './job-failure.ts';
import { jobProgressSchema } from './job-progress.ts';
import { count, time } from './scalars.ts';

const jobConditionSchema = z.object({
  type: z.string().describe(`One of ${CONDITION_TYPES.join(', ')}.`),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition holds.'),
  reason: z.string().describe('Why, as one word to match on.').exactOptional(),
  message: z.string().describe('Why, for people.').exactOptional(),
  lastUpdateTime: time().describe('When the condition was last written.').exactOptional(),
  lastTransitionTime: time().describe('When its status last changed.').exactOptional(),
  observedGeneration: z.int().describe('The generation of the job that the condition speaks of.').exactOptional(),
});

export type JobCondition = z.output<typeof jobConditionSchema>;

const replicaStatusSchema = z.object({
  active: count().describe('Pods that run and are not being deleted.').exactOptional(),
  succeeded: count().describe('Pods that ended well.').exactOptional(),
  failed: count().describe('Pods that ended badly and are not replaced.').exactOptional(),
  selector: z.string().describe("The label selector of the role's pods, for autoscalers.").exactOptional(),
  succeededIndexes: z
    .string()
    .describe('Which replicas ended well, for example 0,2-5. They are not run again, also when their pods are gone.')
    .exactOptional(),
  startedIndexes: z
    .string()
    .describe(
      'Which replicas have run, for example 0,2-5, where one that is lost cannot join again a job that runs, and is not ' +
        'recreated, or where it has several pods, which are recreated together.',
    )
    .exactOptional(),
  indexes: z
    .string()
    .describe('Which replicas the role has, where removing named ones has left holes, for example 0,2-5.')
    .exactOptional(),
  attempt: count()
    .describe('How often all pods of the role were recreated together, those of the whole job apart. Absent: never.')
    .exactOptional(),
  nextOrdinal: count()
    .describe('The number that the next new pod of the role gets in its name. It only grows, so no name is used twice.')
    .exactOptional(),
  labelSelector: z.looseObject({}).describe('Deprecated and never written: use selector.').exactOptional(),
});

export type ReplicaStatus = z.output<typeof replicaStatusSchema>;

const restartGroupSchema = z.object({
  scope: z
    .enum(['Role', 'Job'])
    .describe('Set where all pods of the role, or of the job, were recreated together: there are no indexes then.')
    .exactOptional(),
  role: z.string().describe('The role of the replicas.').exactOptional(),
  indexes: z.string().describe('Which replicas of the role, for example 0,2-5.').exactOptional(),
  marks: z
    .string()
    .describe(
      'Which incarnation of each was counted last: four characters of a hash of its UID, in the order of the indexes.',
    )
    .exactOptional(),
  pod: z
    .string()
    .describe('Deprecated, read but not written: the name of the one pod, in place of role and indexes.')
    .exactOptional(),
  uid: z.string().describe('Deprecated, read but not written: the UID of that pod.').exactOptional(),
  containerRestarts: count()
    .describe('How many restarts of the containers of each by the kubelet are counted.')
    .exactOptional(),
  workload: z
    .string()
    .describe('Which incarnation of the Job that makes the pods of the role: four characters of a hash of its UID.')
    .exactOptional(),
  replacedPods: count().describe('How many pods are counted that this Job has replaced.').exactOptional(),
  replaced: z
    .boolean()
    .describe('Whether the failure of each is counted: it is deleted and recreated.')
    .exactOptional(),
  failures: count()
    .describe('How many pods of each in a row ended badly not long after their start, whoever ended them.')
    .exactOptional(),
  lastFailureTime: time()
    .describe('When the last of them did, if the next attempt has to wait: the longer the more failures.')
    .exactOptional(),
  delaySeconds: count().describe('How long it has to wait at least, by the failure policy.').exactOptional(),
});

/** What is counted of the restarts of some replicas, so that no restart of the operator counts it again. */
export type RestartGroup = z.output<typeof restartGroupSchema>;

/** Why an elastic job has as many workers as it has. */
export const ELASTIC_REASONS = ['AsWanted', 'Unschedulable', 'Preempted', 'Growing'] as const;

const elasticStatusSchema = z.object({
  minReplicas: count().describe('The least number of workers, as pods are told it.'),
  maxReplicas: count().describe('The greatest number of workers, as pods are told it.'),
  wanted: count().describe('How many workers the spec asks for.'),
  granted: count().describe('With how many workers the job goes on.'),
  reason: z
    .enum(ELASTIC_REASONS)
    .describe(
      'AsWanted: it has all. Unschedulable: no node took the others. Preempted: others were preferred to them. Growing: it tries ' +
        'to have all again.',
    ),
  message: z.string().describe('The same for people.').exactOptional(),
  lastChangeTime: time().describe('When granted or reason last changed.').exactOptional(),
  nextAttemptTime: time().describe('When it tries to have all workers again.').exactOptional(),
  attemptsInVain: count().describe('How many such attempts in a row have brought no worker.').exactOptional(),
});

/** The workers of an elastic job. */
export type ElasticStatus = z.output<typeof elasticStatusSchema>;

export const jobStatusSchema = z.object({
  conditions: z
    .array(jobConditionSchema)
    .describe(
      'What has happened to the job, in order of time: the last one is the newest. ReplicaFailure stands first.',
    )
    .exactOptional(),
  replicaStatuses: z
    .record(z.string(), replicaStatusSchema)
    .describe('How the pods of each role are doing.')
    .exactOptional(),
  startTime: time()
    .describe('When the operator first looked at the job, or when the job was last resumed or admitted by a queue.')
    .exactOptional(),
  allRunningTime: time().describe('When all replicas ran together for the first time since startTime.').exactOptional(),
  completionTime: time().describe('When the job ended, well or badly.').exactOptional(),
  lastReconcileTime: time()
    .describe('Kept for older clients: written by other operators, not by Muster.')
    .exactOptional(),
  state: z
    .string()
    .describe('The state of the job in one word: Created, Running, Restarting, Suspended, Succeeded or Failed.')
    .exactOptional(),
  ready: z.string().describe('How many of the pods are ready, for example 3/4.').exactOptional(),
  restartCount: count()
    .describe('How often replicas failed and were restarted, in place or as a new pod. Counts towards backoffLimit.')
    .exactOptional(),
  disruptionCount: count()
    .describe(
      'How often replicas were recreated because the cluster ended their pods (eviction from a node that is short of ' +
        'memory or disk, preemption, a lost node) or a node refused them, or where the failure policy does not count them as failures. ' +
        'Does not count towards backoffLimit.',
    )
    .exactOptional(),
  restarts: z
    .array(restartGroupSchema)
    .describe('What is counted in restartCount, by replicas, of pods that are still there or not yet recreated.')
    .exactOptional(),
  attempt: count()
    .describe(
      'How often all pods of the job were recreated together. Absent: never. Pods carry it in the label ' +
        'muster.dev/attempt, with how often those of their role were.',
    )
    .exactOptional(),
  progress: jobProgressSchema
    .describe('How far the program is, where runPolicy.progressDeadlineSeconds asks for it.')
    .exactOptional(),
  firstFailure: jobFailureSchema
    .describe(
      'The pod that failed first in the last failure, kept while the job goes on. A pod that the kubelet cannot start is listed ' +
        'until it can; a pod that waits for a node is not.',
    )
    .exactOptional(),
  failures: z
    .array(jobFailureSchema)
    .describe('What stood in firstFailure before: the last five, the newest last.')
    .exactOptional(),
  observedGeneration: z.int().describe('The generation of the job that this status speaks of.').exactOptional(),
});

/** Of a kind whose jobs grow and shrink. */
export const elasticJobStatusSchema = jobStatusSchema.extend({
  elastic: elasticStatusSchema
    .describe('How many workers an elastic job wants and has, and why. Not while it is suspended.')
    .exactOptional(),
});

export type JobStatus = z.output<typeof elasticJobStatusSchema>;
