/** Number of workers of an elastic PaddleJob, and its autoscaler. */
import * as z from 'zod';
import { BOUNDS_IN_ORDER, elasticBoundFields, elasticMetricsField } from './elastic-size.ts';
import { withRules } from './rule.ts';
import { count } from './scalars.ts';

export const paddleElasticPolicySchema = withRules(
  z.object({
    ...elasticBoundFields,
    maxRestarts: count()
      .describe(
        "How often Paddle's launcher restarts its processes before it fails, if it uses etcd. Default: the launcher's, 3.",
      )
      .exactOptional(),
    ...elasticMetricsField,
  }),
  [BOUNDS_IN_ORDER],
);

export type PaddleElasticPolicy = z.output<typeof paddleElasticPolicySchema>;
