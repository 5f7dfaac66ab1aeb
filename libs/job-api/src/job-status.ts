/** What a job's status says: Kubeflow's fields, and those that Muster adds for people. */
import * as z from 'zod';
import { CONDITION_TYPES } from './conditions.ts';
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
  failed: count().describe('Pods that ended badly.').exactOptional(),
  selector: z.string().describe("The label selector of the role's pods, for autoscalers.").exactOptional(),
  labelSelector: z.looseObject({}).describe('Deprecated and never written: use selector.').exactOptional(),
});

export type ReplicaStatus = z.output<typeof replicaStatusSchema>;

export const jobStatusSchema = z.object({
  conditions: z
    .array(jobConditionSchema)
    .describe('What has happened to the job, in order of time: the last one is the newest.')
    .exactOptional(),
  replicaStatuses: z
    .record(z.string(), replicaStatusSchema)
    .describe('How the pods of each role are doing.')
    .exactOptional(),
  startTime: time().describe('When the job started, or was last resumed.').exactOptional(),
  completionTime: time().describe('When the job ended, well or badly.').exactOptional(),
  lastReconcileTime: time()
    .describe('Kept for older clients: written by other operators, not by Muster.')
    .exactOptional(),
  state: z
    .string()
    .describe('The state of the job in one word: Created, Running, Restarting, Suspended, Succeeded or Failed.')
    .exactOptional(),
  ready: z.string().describe('How many of the pods are ready, for example 3/4.').exactOptional(),
  restartCount: count().describe('How often replicas were restarted since the job started.').exactOptional(),
  observedGeneration: z.int().describe('The generation of the job that this status speaks of.').exactOptional(),
});

export type JobStatus = z.output<typeof jobStatusSchema>;
