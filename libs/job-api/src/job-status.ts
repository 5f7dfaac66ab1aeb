/** Status of a job: Kubeflow's fields, and Muster's own. */
import * as z from 'zod';
import { CONDITION_TYPES } from './conditions.ts';
import { jobFailureSchema } from './job-failure.ts';
import { jobProgressSchema } from './job-progress.ts';
import { count, time } from './scalars.ts';
import { timeAccountsSchema } from './time-accounts.ts';

const jobConditionSchema = z.object({
  type: z.string().describe(`One of ${CONDITION_TYPES.join(', ')}.`),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition holds.'),
  reason: z.string().describe('Reason in CamelCase, for programs.').exactOptional(),
  message: z.string().describe('Details for people.').exactOptional(),
  lastUpdateTime: time().describe('When the condition was last written.').exactOptional(),
  lastTransitionTime: time().describe('When the status of the condition last changed.').exactOptional(),
  observedGeneration: z.int().describe('The generation of the job that the condition refers to.').exactOptional(),
});

export type JobCondition = z.output<typeof jobConditionSchema>;

const replicaStatusSchema = z.object({
  active: count().describe('Number of running pods that are not being deleted.').exactOptional(),
  succeeded: count().describe('Number of pods that succeeded.').exactOptional(),
  failed: count().describe('Number of pods that failed and are not replaced.').exactOptional(),
  selector: z.string().describe("Label selector of the role's pods, for autoscalers.").exactOptional(),
  succeededIndexes: z
    .string()
    .describe(
      'Indexes of replicas that succeeded, for example 0,2-5. They are not run again, even if their pods are gone.',
    )
    .exactOptional(),
  startedIndexes: z
    .string()
    .describe(
      'Indexes of replicas that have run, for example 0,2-5. Set if a lost replica cannot rejoin a running job ' +
        'and is not recreated, or if replicas have several pods, which are recreated together.',
    )
    .exactOptional(),
  indexes: z
    .string()
    .describe('Indexes of the role, for example 0,2-5. Set if removing named replicas has left gaps.')
    .exactOptional(),
  attempt: count()
    .describe(
      'How often all pods of the role were recreated together, not counting restarts of the whole job. Absent: never.',
    )
    .exactOptional(),
  nextOrdinal: count()
    .describe('Number in the name of the next new pod of the role. It only increases, so no name is used twice.')
    .exactOptional(),
  labelSelector: z.looseObject({}).describe('Deprecated and never written: use selector.').exactOptional(),
});

export type ReplicaStatus = z.output<typeof replicaStatusSchema>;

const restartGroupSchema = z.object({
  scope: z
    .enum(['Role', 'Job'])
    .describe('Set if all pods of the role, or of the job, were recreated together: there are no indexes then.')
    .exactOptional(),
  role: z.string().describe('Role of the replicas.').exactOptional(),
  indexes: z.string().describe('Indexes of the replicas, for example 0,2-5.').exactOptional(),
  marks: z
    .string()
    .describe(
      'Which pod of each replica was counted last: four characters of a hash of its UID, in the order of the indexes.',
    )
    .exactOptional(),
  pod: z
    .string()
    .describe('Deprecated, read but not written: name of the one pod, instead of role and indexes.')
    .exactOptional(),
  uid: z.string().describe('Deprecated, read but not written: UID of that pod.').exactOptional(),
  containerRestarts: count()
    .describe('How many container restarts by the kubelet are counted for each replica.')
    .exactOptional(),
  workload: z
    .string()
    .describe('Which Job creates the pods of the role: four characters of a hash of its UID.')
    .exactOptional(),
  replacedPods: count().describe('How many pods replaced by this Job are counted.').exactOptional(),
  replaced: z
    .boolean()
    .describe('Whether the failure of each replica is counted: its pod is deleted and recreated.')
    .exactOptional(),
  failures: count()
    .describe('How many pods of each replica failed in a row soon after their start, whatever ended them.')
    .exactOptional(),
  lastFailureTime: time()
    .describe('When the last of them failed. Set if the next attempt has to wait: longer after more failures.')
    .exactOptional(),
  delaySeconds: count().describe('Minimum wait in seconds, from the failure policy.').exactOptional(),
});

/** Restarts that are already counted, so that they are not counted again after a restart of the operator. */
export type RestartGroup = z.output<typeof restartGroupSchema>;

/** Reasons for the current number of workers of an elastic job. */
export const ELASTIC_REASONS = ['AsWanted', 'Unschedulable', 'Preempted', 'Growing'] as const;

const elasticStatusSchema = z.object({
  minReplicas: count().describe('Minimum number of workers that the pods were started with.'),
  maxReplicas: count().describe('Maximum number of workers that the pods were started with.'),
  wanted: count().describe('Number of workers in the spec.'),
  granted: count().describe('Number of workers that the job runs with.'),
  reason: z
    .enum(ELASTIC_REASONS)
    .describe(
      'AsWanted: all workers. Unschedulable: no node took the missing workers. Preempted: the missing workers ' +
        'were preempted. Growing: the job tries to run all workers again.',
    ),
  message: z.string().describe('Details for people.').exactOptional(),
  lastChangeTime: time().describe('When granted or reason last changed.').exactOptional(),
  nextAttemptTime: time().describe('When the job next tries to run all workers.').exactOptional(),
  attemptsInVain: count().describe('How many such attempts in a row added no worker.').exactOptional(),
});

export type ElasticStatus = z.output<typeof elasticStatusSchema>;

export const jobStatusSchema = z.object({
  conditions: z
    .array(jobConditionSchema)
    .describe('Conditions of the job, ordered by time: the newest is last. ReplicaFailure is always first.')
    .exactOptional(),
  replicaStatuses: z
    .record(z.string(), replicaStatusSchema)
    .describe('State of the pods of each role.')
    .exactOptional(),
  startTime: time()
    .describe('When the operator started to manage the job, or when the job was last resumed or admitted by a queue.')
    .exactOptional(),
  allRunningTime: time().describe('When all replicas first ran at the same time since startTime.').exactOptional(),
  minimumRunningTime: time()
    .describe(
      'When all replicas, of an elastic job with at least the minimum of its workers, first ran at the same time since ' +
        'startTime. Set for jobs with startDeadlineSeconds.',
    )
    .exactOptional(),
  completionTime: time().describe('When the job ended, succeeded or failed.').exactOptional(),
  lastReconcileTime: time()
    .describe('Kept for older clients. Written by other operators, not by Muster.')
    .exactOptional(),
  state: z
    .string()
    .describe('State of the job: Created, Running, Restarting, Suspended, Succeeded or Failed.')
    .exactOptional(),
  ready: z.string().describe('Number of ready pods and of all pods, for example 3/4.').exactOptional(),
  restartCount: count()
    .describe('How often replicas failed and were restarted, in place or as a new pod. Counts towards backoffLimit.')
    .exactOptional(),
  disruptionCount: count()
    .describe(
      'How often replicas were recreated after a disruption: eviction from a node short of memory or disk, ' +
        'preemption, a lost node, a node that rejected the pod, or a failure that the failure policy does not ' +
        'count. Does not count towards backoffLimit.',
    )
    .exactOptional(),
  restarts: z
    .array(restartGroupSchema)
    .describe('Details of restartCount: replicas whose pods still exist or are not yet recreated.')
    .exactOptional(),
  attempt: count()
    .describe(
      'How often all pods of the job were recreated together. Absent: never. The pod label muster.dev/attempt ' +
        "is the sum of this number and that of the pod's role.",
    )
    .exactOptional(),
  progress: jobProgressSchema
    .describe('Progress of the program. Set if runPolicy.progressDeadlineSeconds is set.')
    .exactOptional(),
  firstFailure: jobFailureSchema
    .describe(
      'The pod that failed first in the last failure, kept while the job continues. A pod that the kubelet ' +
        'cannot start is listed until it starts. A pod that waits for a node is not listed.',
    )
    .exactOptional(),
  failures: z
    .array(jobFailureSchema)
    .describe('Earlier values of firstFailure: the last five, the newest last.')
    .exactOptional(),
  timeAccounts: timeAccountsSchema.describe('Where the time of the job went.').exactOptional(),
  observedGeneration: z.int().describe('The generation of the job that this status refers to.').exactOptional(),
});

/** For kinds with elastic jobs. */
export const elasticJobStatusSchema = jobStatusSchema.extend({
  elastic: elasticStatusSchema
    .describe(
      'Wanted and actual number of workers of an elastic job, and the reason. Absent while the job is suspended.',
    )
    .exactOptional(),
});

export type JobStatus = z.output<typeof elasticJobStatusSchema>;
