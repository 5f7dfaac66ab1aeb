/** How a RayCluster is doing: the fields of `ray.io/v1`, as loosely typed as there, and Muster's own record. */
import * as z from 'zod';
import { jobStatusSchema } from './job-status.ts';
import { count, quantity, time } from './scalars.ts';

/** A condition, as Kubernetes has it. */
const conditionSchema = z.object({
  type: z.string().describe('What the condition is about.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds.'),
  reason: z.string().describe('Why, as one word to match on.'),
  message: z.string().describe('Why, for people.'),
  lastTransitionTime: time().describe('When its status last changed.'),
  observedGeneration: z.int().describe('The generation of the cluster that it speaks of.').exactOptional(),
});

export type RayCondition = z.output<typeof conditionSchema>;

const headSchema = z.object({
  podIP: z.string().describe("The head pod's address.").exactOptional(),
  podName: z.string().describe("The head pod's name.").exactOptional(),
  serviceIP: z
    .string()
    .describe("The address of the head's Service, or the head pod's where it is headless.")
    .exactOptional(),
  serviceName: z.string().describe("The name of the head's Service.").exactOptional(),
});

/** Muster's record, in the status of both kinds. */
export const musterRecordSchema = jobStatusSchema
  .omit({ progress: true })
  .describe("What Muster has to remember; nobody else's to read")
  .exactOptional();

export const rayClusterStatusSchema = z.object({
  state: z.string().describe('ready, suspended, or empty. Stays ready when pods fail later.').exactOptional(),
  reason: z.string().describe('Why the cluster is as it is.').exactOptional(),
  desiredWorkerReplicas: count().describe('How many worker pods there should be.').exactOptional(),
  availableWorkerReplicas: count().describe('How many worker pods run.').exactOptional(),
  readyWorkerReplicas: count().describe('How many worker pods are ready.').exactOptional(),
  minWorkerReplicas: count().describe('The least number of worker pods.').exactOptional(),
  maxWorkerReplicas: count().describe('The greatest number of worker pods.').exactOptional(),
  desiredCPU: quantity().describe('The CPUs of all pods.').exactOptional(),
  desiredMemory: quantity().describe('The memory of all pods.').exactOptional(),
  desiredGPU: quantity().describe('The GPUs of all pods.').exactOptional(),
  desiredTPU: quantity().describe('The TPUs of all pods.').exactOptional(),
  endpoints: z
    .record(z.string(), z.string())
    .describe("The ports of the head's Service, by their names.")
    .exactOptional(),
  head: headSchema.describe('Where the head is.').exactOptional(),
  conditions: z
    .array(conditionSchema)
    .describe(
      'HeadPodReady, RayClusterProvisioned, ReplicaFailure, RayClusterSuspending and RayClusterSuspended, each once.',
    )
    .exactOptional(),
  lastUpdateTime: time().describe('When the status was last written.').exactOptional(),
  stateTransitionTimes: z.record(z.string(), time()).describe('When each state was last entered.').exactOptional(),
  observedGeneration: z.int().describe('The generation of the cluster that this status speaks of.').exactOptional(),
  muster: musterRecordSchema,
});

export type RayClusterStatus = z.output<typeof rayClusterStatusSchema>;
