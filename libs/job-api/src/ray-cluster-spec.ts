/** What a RayCluster is to be: the spec of the kind, and of the clusters that RayJobs make. */
import * as z from 'zod';
import { AUTH_RULES, authOptionsSchema } from './ray-cluster-auth.ts';
import { AUTOSCALER_RULES, autoscalerOptionsSchema } from './ray-cluster-autoscaler.ts';
import { FAULT_TOLERANCE_RULES, gcsFaultToleranceOptionsSchema } from './ray-cluster-fault-tolerance.ts';
import { headGroupSpecSchema, workerGroupSpecsSchema } from './ray-cluster-groups.ts';
import { NETWORK_POLICY_RULES, networkPolicySchema } from './ray-cluster-network-policy.ts';
import { managedByIsImmutable, rayManagedBySchema } from './ray-managed-by.ts';
import { unlessBrokenBefore, withRules, type Rule } from './rule.ts';

const upgradeStrategySchema = z.object({
  type: z
    .enum(['None', 'Recreate'])
    .describe(
      'What becomes of the pods when their templates change. None, the default: they stay, and only new ones follow. ' +
        'Recreate: all of them are deleted and made anew.',
    )
    .exactOptional(),
});

const fieldsSchema = z.object({
  rayVersion: z
    .string()
    .max(63)
    .describe('The version of Ray in the images, for example 2.52.0. It decides how Ray is started and probed.')
    .exactOptional(),
  headGroupSpec: headGroupSpecSchema.describe('The head, one pod.'),
  workerGroupSpecs: workerGroupSpecsSchema.exactOptional(),
  suspend: z
    .boolean()
    .describe('True stops the cluster: its pods are deleted. Back to false, it starts again. Default false.')
    .exactOptional(),
  managedBy: rayManagedBySchema('cluster').exactOptional(),
  enableInTreeAutoscaling: z
    .boolean()
    .describe("Whether Ray's autoscaler runs in the head pod and scales the worker groups. Default false.")
    .exactOptional(),
  autoscalerOptions: autoscalerOptionsSchema.describe('How the autoscaler runs.').exactOptional(),
  headServiceAnnotations: z
    .record(z.string(), z.string())
    .describe("Annotations of the head's Service.")
    .exactOptional(),
  gcsFaultToleranceOptions: gcsFaultToleranceOptionsSchema
    .describe('Where the head keeps what it knows, so that the cluster outlives it. Default: nowhere.')
    .exactOptional(),
  upgradeStrategy: upgradeStrategySchema
    .describe('What becomes of running pods when the spec changes.')
    .exactOptional(),
  authOptions: authOptionsSchema.describe('Who may speak to Ray. Default: everybody.').exactOptional(),
  networkPolicy: networkPolicySchema
    .describe('Who may reach the pods, and whom they may reach. Default: no NetworkPolicy is made.')
    .exactOptional(),
  tlsOptions: z
    .looseObject({ enabled: z.boolean().describe('Must be false, or left out.').exactOptional() })
    .describe('TLS among the nodes of Ray. Not supported.')
    .exactOptional(),
  historyServerOptions: z
    .looseObject({})
    .describe('A container that collects logs for a history server. Not supported.')
    .exactOptional(),
});

/** Fields that would change what runs, and that Muster does not know how to follow. */
const NOT_SUPPORTED: readonly Rule<z.output<typeof fieldsSchema>>[] = [
  {
    cel: '!self.?tlsOptions.?enabled.orValue(false)',
    holds: ({ tlsOptions }) => tlsOptions?.enabled !== true,
    message:
      'Muster makes no certificates for Ray: remove it, and set RAY_USE_TLS and its companions in the templates, with certificates ' +
      'of your own, or encrypt below Ray by a service mesh',
    reason: 'FieldValueForbidden',
    at: ['tlsOptions'],
  },
  {
    cel: '!has(self.historyServerOptions)',
    holds: ({ historyServerOptions }) => historyServerOptions === undefined,
    message:
      'Muster runs no collector for a history server: remove it, and add that container to the templates yourself',
    reason: 'FieldValueForbidden',
    at: ['historyServerOptions'],
  },
];

const RULES: readonly Rule<z.output<typeof fieldsSchema>>[] = [
  ...AUTH_RULES,
  ...AUTOSCALER_RULES,
  ...FAULT_TOLERANCE_RULES,
  ...NETWORK_POLICY_RULES,
  ...NOT_SUPPORTED,
];

export const rayClusterSpecSchema = withRules(fieldsSchema, [
  ...unlessBrokenBefore(RULES),
  managedByIsImmutable('cluster'),
]);

export type RayClusterSpec = z.output<typeof rayClusterSpecSchema>;
