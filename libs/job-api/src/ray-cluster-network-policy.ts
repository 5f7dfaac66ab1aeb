/** `spec.networkPolicy` of a RayCluster: traffic to and from its pods. */
import * as z from 'zod';
import { MOST_WORKER_GROUPS } from './ray-cluster-groups.ts';
import { withRules, type Rule } from './rule.ts';

const RULES = {
  ingressRules: z
    .array(z.looseObject({}))
    .describe('Incoming traffic to allow in addition to that within the RayCluster, as in a NetworkPolicy.')
    .exactOptional(),
  egressRules: z
    .array(z.looseObject({}))
    .describe(
      'Outgoing traffic to allow in addition to that within the RayCluster, as in a NetworkPolicy. It must ' +
        'include DNS, or workers do not find the head.',
    )
    .exactOptional(),
};

const rulesSchema = z.object(RULES);

export type RayNetworkPolicyRules = z.output<typeof rulesSchema>;

const fieldsSchema = z.object({
  mode: z
    .enum(['DenyAll', 'DenyAllIngress', 'DenyAllEgress'])
    .describe('Traffic to deny, except that within the RayCluster and that of the rules below. Default DenyAll.')
    .exactOptional(),
  head: rulesSchema.describe('Further rules for the head.').exactOptional(),
  worker: rulesSchema.describe('Further rules for the workers.').exactOptional(),
  workerGroups: z
    .array(z.object({ groupName: z.string().max(63).describe('Name of the worker group.'), ...RULES }))
    .max(MOST_WORKER_GROUPS)
    .describe('Further rules for the workers of a group, instead of those of worker.')
    .exactOptional(),
});

type Fields = z.output<typeof fieldsSchema>;

/** Rules for traffic that the mode does not restrict would have no effect. */
function rulesOfOpenDirection(field: 'ingressRules' | 'egressRules', openMode: NonNullable<Fields['mode']>) {
  const rule = {
    message: `remove ${field}: with mode ${openMode} this traffic is not restricted at all`,
    reason: 'FieldValueForbidden',
  } as const;
  const ofPart = (part: 'head' | 'worker'): Rule<Fields> => ({
    ...rule,
    cel: `self.?mode.orValue('') != '${openMode}' || !has(self.${part}) || !has(self.${part}.${field}) || self.${part}.${field}.size() == 0`,
    holds: (self) => self.mode !== openMode || (self[part]?.[field] ?? []).length === 0,
    at: [part, field],
  });
  const ofGroups: Rule<Fields> = {
    ...rule,
    cel: `self.?mode.orValue('') != '${openMode}' || !has(self.workerGroups) || self.workerGroups.all(g, !has(g.${field}) || g.${field}.size() == 0)`,
    holds: ({ mode, workerGroups = [] }) =>
      mode !== openMode || workerGroups.every((group) => (group[field] ?? []).length === 0),
    at: ['workerGroups'],
  };
  return [ofPart('head'), ofPart('worker'), ofGroups];
}

export const networkPolicySchema = withRules(fieldsSchema, [
  ...rulesOfOpenDirection('ingressRules', 'DenyAllEgress'),
  ...rulesOfOpenDirection('egressRules', 'DenyAllIngress'),
  {
    cel:
      '!has(self.workerGroups) || self.workerGroups.all(a, !has(a.groupName) || ' +
      'self.workerGroups.exists_one(b, has(b.groupName) && b.groupName == a.groupName))',
    holds: ({ workerGroups = [] }) =>
      new Set(workerGroups.map(({ groupName }) => groupName)).size === workerGroups.length,
    message: 'a group is named twice: keep one entry',
    at: ['workerGroups'],
  },
]);

export type RayNetworkPolicySpec = z.output<typeof networkPolicySchema>;

interface SpecWithPolicy {
  readonly networkPolicy?: RayNetworkPolicySpec;
  readonly workerGroupSpecs?: readonly { readonly groupName: string }[];
}

const DNS_LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';

/** Rules of the whole spec. */
export const NETWORK_POLICY_RULES: readonly Rule<SpecWithPolicy>[] = [
  {
    cel:
      '!has(self.networkPolicy) || !has(self.networkPolicy.workerGroups) || self.networkPolicy.workerGroups.all(p, ' +
      '!has(p.groupName) || ' +
      'has(self.workerGroupSpecs) && self.workerGroupSpecs.exists(g, has(g.groupName) && g.groupName == p.groupName))',
    holds: ({ networkPolicy, workerGroupSpecs = [] }) =>
      (networkPolicy?.workerGroups ?? []).every((entry) =>
        workerGroupSpecs.some(({ groupName }) => groupName === entry.groupName),
      ),
    message: 'an entry names no group of workerGroupSpecs: correct its groupName, or remove it',
    at: ['networkPolicy', 'workerGroups'],
  },
  {
    cel: `!has(self.networkPolicy) || !has(self.workerGroupSpecs) || self.workerGroupSpecs.all(g, has(g.groupName) && g.groupName.matches('${DNS_LABEL}'))`,
    holds: ({ networkPolicy, workerGroupSpecs = [] }) =>
      networkPolicy === undefined || workerGroupSpecs.every(({ groupName }) => new RegExp(DNS_LABEL).test(groupName)),
    message:
      'with networkPolicy, the groupName of each group must be lower-case letters, digits and "-": it is part of the name of its ' +
      'NetworkPolicy',
    at: ['workerGroupSpecs'],
  },
];
