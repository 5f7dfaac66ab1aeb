/** Status of a RayCluster: the fields of `ray.io/v1`, with the same loose types, and Muster's own record. */
import * as z from 'zod';
import { jobStatusSchema } from './job-status.ts';
import { count, quantity, time } from './scalars.ts';

/** A condition, as Kubernetes has it. */
export const rayConditionSchema = z.object({
  type: z.string().describe('Type of the condition.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition holds.'),
  reason: z.string().describe('Reason in CamelCase, for programs.'),
  message: z.string().describe('Details for people.'),
  lastTransitionTime: time().describe('When the status of the condition last changed.'),
  observedGeneration: z.int().describe('The generation of the object that the condition refers to.').exactOptional(),
});

export type RayCondition = z.output<typeof rayConditionSchema>;

const headSchema = z.object({
  podIP: z.string().describe('IP address of the head pod.').exactOptional(),
  podName: z.string().describe('Name of the head pod.').exactOptional(),
  serviceIP: z
    .string()
    .describe("IP address of the head's Service, or of the head pod if the Service is headless.")
    .exactOptional(),
  serviceName: z.string().describe("Name of the head's Service.").exactOptional(),
});

/** Muster's record, in the status of all kinds. */
export const musterRecordSchema = jobStatusSchema
  .omit({ progress: true })
  .describe('Internal record of Muster, not for other programs.')
  .exactOptional();

export const rayClusterStatusSchema = z.object({
  state: z.string().describe('ready, suspended, or empty. Stays ready when pods fail later.').exactOptional(),
  reason: z.string().describe('Reason for the state.').exactOptional(),
  desiredWorkerReplicas: count().describe('Wanted number of worker pods.').exactOptional(),
  availableWorkerReplicas: count().describe('Number of running worker pods.').exactOptional(),
  readyWorkerReplicas: count().describe('Number of ready worker pods.').exactOptional(),
  minWorkerReplicas: count().describe('Minimum number of worker pods.').exactOptional(),
  maxWorkerReplicas: count().describe('Maximum number of worker pods.').exactOptional(),
  desiredCPU: quantity().describe('CPUs of all pods together.').exactOptional(),
  desiredMemory: quantity().describe('Memory of all pods together.').exactOptional(),
  desiredGPU: quantity().describe('GPUs of all pods together.').exactOptional(),
  desiredTPU: quantity().describe('TPUs of all pods together.').exactOptional(),
  endpoints: z.record(z.string(), z.string()).describe("Ports of the head's Service, by name.").exactOptional(),
  head: headSchema.describe('Names and addresses of the head.').exactOptional(),
  conditions: z
    .array(rayConditionSchema)
    .describe(
      'HeadPodReady, RayClusterProvisioned, ReplicaFailure, RayClusterSuspending and RayClusterSuspended, each once.',
    )
    .exactOptional(),
  lastUpdateTime: time().describe('When the status was last written.').exactOptional(),
  stateTransitionTimes: z.record(z.string(), time()).describe('When each state was last entered.').exactOptional(),
  observedGeneration: z.int().describe('The generation of the cluster that this status refers to.').exactOptional(),
  muster: musterRecordSchema,
});

export type RayClusterStatus = z.output<typeof rayClusterStatusSchema>;
