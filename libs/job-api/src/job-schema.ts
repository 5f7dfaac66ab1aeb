/** Top-level fields of every kind of job, around the kind's own `spec`. */
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
    // Validated by the API server; typed as in Kubernetes.
    metadata: (z.looseObject({}) as unknown as z.ZodType<ObjectMeta>).exactOptional(),
    spec,
    status: ((status ?? jobStatusSchema) as Status)
      .describe('Observed state of the job. Written by the operator.')
      .exactOptional(),
  });
}
