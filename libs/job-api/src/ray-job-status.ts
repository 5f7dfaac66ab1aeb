/** Status of a RayJob: the fields of `ray.io/v1`, with the same loose types, and Muster's own record. */
import * as z from 'zod';
import { musterRecordSchema, rayClusterStatusSchema } from './ray-cluster-status.ts';
import { count, time } from './scalars.ts';

const rayJobInfoSchema = z.object({
  startTime: time().describe('When the Ray job started.').exactOptional(),
  endTime: time().describe('When the Ray job ended.').exactOptional(),
});

export const rayJobStatusSchema = z.object({
  jobId: z.string().describe('ID of the job in Ray.').exactOptional(),
  rayClusterName: z.string().describe('Name of the cluster that the job runs on.').exactOptional(),
  dashboardURL: z
    .string()
    .describe("Address of the cluster's dashboard, within the Kubernetes cluster.")
    .exactOptional(),
  jobStatus: z
    .string()
    .describe('Status of the job in Ray: PENDING, RUNNING, STOPPED, SUCCEEDED, FAILED, or empty.')
    .exactOptional(),
  jobDeploymentStatus: z
    .string()
    .describe(
      'State of the RayJob: Initializing, Waiting, Running, Complete, Failed, ValidationFailed, Suspending, ' +
        'Suspended, Retrying, or empty.',
    )
    .exactOptional(),
  reason: z.string().describe('Reason of the failure in CamelCase, for programs.').exactOptional(),
  message: z.string().describe('Details for people.').exactOptional(),
  startTime: time().describe('When the job, or its current attempt, was started.').exactOptional(),
  endTime: time().describe('When the job ended.').exactOptional(),
  succeeded: count().describe('How often the job succeeded.').exactOptional(),
  failed: count().describe('How often the job failed.').exactOptional(),
  attempt: count()
    .describe('How often the job was started, including retries and resumptions. Each start uses new names.')
    .exactOptional(),
  rayJobInfo: rayJobInfoSchema.describe('Start and end of the job as reported by Ray.').exactOptional(),
  rayClusterStatus: rayClusterStatusSchema
    .omit({ muster: true })
    .describe('Status of the cluster that the job runs on.')
    .exactOptional(),
  jobStatusCheckFailureStartTime: time()
    .describe('Since when the dashboard does not respond. Absent if it does.')
    .exactOptional(),
  observedGeneration: z.int().describe('The generation of the job that this status refers to.').exactOptional(),
  muster: musterRecordSchema,
});

export type RayJobStatus = z.output<typeof rayJobStatusSchema>;
