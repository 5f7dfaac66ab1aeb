/** The outermost fields of every kind of job: what Kubernetes gives them, around the kind's own `spec`. */
import * as z from 'zod';
import { jobStatusSchema } from './job-status.ts';
import type { ObjectMeta } from './kubernetes.ts';

export function jobSchema<Spec extends z.ZodType, Status extends z.ZodType = typeof jobStatusSchema>(
  apiVersion: string,
  kind: string,
  spec: Spec,
  status?: Status,
) {
  return z.object({
    apiVersion: z.string().describe(apiVersion).exactOptional(),
    kind: z.string().describe(kind).exactOptional(),
    // Checked by the API server itself; typed as Kubernetes types it.
    metadata: (z.looseObject({}) as unknown as z.ZodType<ObjectMeta>).exactOptional(),
    spec,
    status: ((status ?? jobStatusSchema) as Status)
      .describe('How the job is doing. Written by the operator.')
      .exactOptional(),
  });
}
