/** Top-level fields of every kind of job, around the kind's own `spec`. */
import * as z from 'zod';
import { jobStatusSchema } from './job-status.ts';
import type { ObjectMeta } from './kubernetes.ts';

const texts = () => z.record(z.string(), z.string()).exactOptional();

/**
 * Typed as in Kubernetes, and validated by the API server: the CRD does not contain it. Labels and annotations are described because
 * values without quotes, such as 30 and true, are a frequent mistake.
 */
const metadataSchema = z.looseObject({ labels: texts(), annotations: texts() }) as z.ZodType as z.ZodType<ObjectMeta>;

export function jobSchema<Spec extends z.ZodType, Status extends z.ZodType = typeof jobStatusSchema>(
  apiVersion: string,
  kind: string,
  spec: Spec,
  status?: Status,
) {
  return z.object({
    apiVersion: z.string().describe(apiVersion).exactOptional(),
    kind: z.string().describe(kind).exactOptional(),
    metadata: metadataSchema.exactOptional(),
    spec,
    status: ((status ?? jobStatusSchema) as Status)
      .describe('Observed state of the job. Written by the operator.')
      .exactOptional(),
  });
}
