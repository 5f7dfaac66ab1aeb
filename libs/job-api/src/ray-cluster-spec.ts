/** Spec of a RayCluster, and of the clusters that RayJobs create. */
import * as z from 'zod';
import { AUTH_RULES, authOptionsSchema } from './ray-cluster-auth.ts';
import { AUTOSCALER_RULES, autoscalerOptionsSchema } from './ray-cluster-autoscaler.ts';
import { FAULT_TOLERANCE_RULES, gcsFaultToleranceOptionsSchema } from './ray-cluster-fault-tolerance.ts';
import { headGroupSpecSchema, workerGroupSpecsSchema } from './ray-cluster-groups.ts';
import { NETWORK_POLICY_RULES, networkPolicySchema } from './ray-cluster-network-policy.ts';
import { managedByIsImmutable, rayManagedBySchema } from './ray-managed-by.ts';
import { acceptingExistingViolations, withRules, type Rule } from './rule.ts';

const upgradeStrategySchema = z.object({
  type: z
    .enum(['None', 'Recreate'])
    .describe(
      'What happens to pods when their templates change. None: existing pods stay, and only new ones follow. ' +
        'Recreate: all pods are deleted and recreated. Default None.',
    )
    .exactOptional(),
});

const fieldsSchema = z.object({
  rayVersion: z
    .string()
    .max(63)
    .describe('Version of Ray in the images, for example 2.52.0. It decides how Ray is started and probed.')
    .exactOptional(),
  headGroupSpec: headGroupSpecSchema.describe('The head: one pod.'),
  workerGroupSpecs: workerGroupSpecsSchema.exactOptional(),
  suspend: z
    .boolean()
    .describe('True suspends the cluster: its pods are deleted. False starts it again. Default false.')
    .exactOptional(),
  managedBy: rayManagedBySchema('cluster').exactOptional(),
  enableInTreeAutoscaling: z
    .boolean()
    .describe("Whether Ray's autoscaler runs in the head pod and scales the worker groups. Default false.")
    .exactOptional(),
  autoscalerOptions: autoscalerOptionsSchema.describe('Options of the autoscaler.').exactOptional(),
  headServiceAnnotations: z
    .record(z.string(), z.string())
    .describe("Annotations of the head's Service.")
    .exactOptional(),
  gcsFaultToleranceOptions: gcsFaultToleranceOptionsSchema
    .describe(
      'Where the head stores the state of the cluster, so that it survives the loss of the head. Default: nowhere.',
    )
    .exactOptional(),
  upgradeStrategy: upgradeStrategySchema
    .describe('What happens to running pods when the spec changes.')
    .exactOptional(),
  authOptions: authOptionsSchema
    .describe('Authentication of calls to Ray. Default: Ray accepts all calls.')
    .exactOptional(),
  networkPolicy: networkPolicySchema
    .describe('Network traffic that the pods may receive and send. Default: no NetworkPolicy is created.')
    .exactOptional(),
  tlsOptions: z
    .looseObject({ enabled: z.boolean().describe('Must be false or unset.').exactOptional() })
    .describe('TLS between Ray nodes. Not supported.')
    .exactOptional(),
  historyServerOptions: z
    .looseObject({})
    .describe('A container that collects logs for a history server. Not supported.')
    .exactOptional(),
});

/** Fields that would change what runs, and that Muster does not support. */
const NOT_SUPPORTED: readonly Rule<z.output<typeof fieldsSchema>>[] = [
  {
    cel: '!self.?tlsOptions.?enabled.orValue(false)',
    holds: ({ tlsOptions }) => tlsOptions?.enabled !== true,
    message:
      'Muster does not support TLS of Ray: remove it. Set RAY_USE_TLS and the related variables in the ' +
      'templates, with your own certificates, or use a service mesh',
    reason: 'FieldValueForbidden',
    at: ['tlsOptions'],
  },
  {
    cel: '!has(self.historyServerOptions)',
    holds: ({ historyServerOptions }) => historyServerOptions === undefined,
    message: 'Muster does not run a collector for a history server: remove it, and add that container to the templates',
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
  ...acceptingExistingViolations(RULES),
  managedByIsImmutable('cluster'),
]);

export type RayClusterSpec = z.output<typeof rayClusterSpecSchema>;
