/** How a RayJob is doing: the fields of `ray.io/v1`, as loosely typed as there, and Muster's own record. */
import * as z from 'zod';
import { musterRecordSchema, rayClusterStatusSchema } from './ray-cluster-status.ts';
import { count, time } from './scalars.ts';

const rayJobInfoSchema = z.object({
  startTime: time().describe('When the Ray job started.').exactOptional(),
  endTime: time().describe('When the Ray job ended.').exactOptional(),
});

export const rayJobStatusSchema = z.object({
  jobId: z.string().describe('The id that the job has in Ray.').exactOptional(),
  rayClusterName: z.string().describe('The cluster that it runs on.').exactOptional(),
  dashboardURL: z
    .string()
    .describe("Where that cluster's dashboard answers, within the Kubernetes cluster.")
    .exactOptional(),
  jobStatus: z
    .string()
    .describe('What Ray says of the job: PENDING, RUNNING, STOPPED, SUCCEEDED, FAILED, or empty.')
    .exactOptional(),
  jobDeploymentStatus: z
    .string()
    .describe(
      'How far the RayJob is: Initializing, Waiting, Running, Complete, Failed, ValidationFailed, Suspending, Suspended, ' +
        'Retrying, or empty.',
    )
    .exactOptional(),
  reason: z.string().describe('Why it failed, as one word to match on.').exactOptional(),
  message: z.string().describe('Why, for people.').exactOptional(),
  startTime: time().describe('When the job, or its present try, was started.').exactOptional(),
  endTime: time().describe('When it ended.').exactOptional(),
  succeeded: count().describe('How often it succeeded.').exactOptional(),
  failed: count().describe('How often it failed.').exactOptional(),
  attempt: count()
    .describe('How often the job has been started, over retries and suspensions; each start has names of its own.')
    .exactOptional(),
  rayJobInfo: rayJobInfoSchema.describe('When Ray says that it started and ended.').exactOptional(),
  rayClusterStatus: rayClusterStatusSchema
    .omit({ muster: true })
    .describe('The status of the cluster that it runs on.')
    .exactOptional(),
  jobStatusCheckFailureStartTime: time()
    .describe('Since when the dashboard does not answer. Absent: it does.')
    .exactOptional(),
  observedGeneration: z.int().describe('The generation of the job that this status speaks of.').exactOptional(),
  muster: musterRecordSchema,
});

export type RayJobStatus = z.output<typeof rayJobStatusSchema>;
