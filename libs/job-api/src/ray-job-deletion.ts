/** `spec.deletionStrategy` of a RayJob: what is deleted after it has ended, and when. */
import * as z from 'zod';
import { withRules, type Rule } from './rule.ts';
import { count } from './scalars.ts';

/** From the one that deletes least to the one that deletes most. */
export const RAY_DELETION_POLICIES = ['DeleteNone', 'DeleteWorkers', 'DeleteCluster', 'DeleteSelf'] as const;

export type RayDeletionPolicy = (typeof RAY_DELETION_POLICIES)[number];

const policySchema = () =>
  z
    .enum(RAY_DELETION_POLICIES)
    .describe(
      'What is deleted: DeleteNone, DeleteWorkers, DeleteCluster, or DeleteSelf (the job and all that it owns).',
    );

const conditionSchema = withRules(
  z.object({
    jobStatus: z
      .enum(['SUCCEEDED', 'FAILED'])
      .describe('Matches if the Ray job ended with this status. Set either this or jobDeploymentStatus.')
      .exactOptional(),
    jobDeploymentStatus: z
      .enum(['Failed'])
      .describe(
        'Matches if the RayJob ended with this status, even if no Ray job was submitted. Set either this or jobStatus.',
      )
      .exactOptional(),
    ttlSeconds: count().describe('Seconds from the end until the deletion. Default 0.').exactOptional(),
  }),
  [
    {
      cel: 'has(self.jobStatus) != has(self.jobDeploymentStatus)',
      holds: ({ jobStatus, jobDeploymentStatus }) => (jobStatus === undefined) !== (jobDeploymentStatus === undefined),
      message: 'set either jobStatus or jobDeploymentStatus',
    },
  ],
);

const ruleSchema = z.object({
  policy: policySchema(),
  condition: conditionSchema.describe('When the policy applies.'),
});

export type RayDeletionRule = z.output<typeof ruleSchema>;

type Pair = (a: RayDeletionRule, b: RayDeletionRule) => boolean;

const haveSameCondition: Pair = (a, b) =>
  a.condition.jobStatus === b.condition.jobStatus &&
  a.condition.jobDeploymentStatus === b.condition.jobDeploymentStatus;

/** For two rules that each set one of the two fields. */
const HAVE_SAME_CONDITION =
  'has(a.condition.jobStatus) == has(b.condition.jobStatus) && ' +
  '(!has(a.condition.jobStatus) || a.condition.jobStatus == b.condition.jobStatus)';

const ttlOf = ({ condition }: RayDeletionRule) => condition.ttlSeconds ?? 0;
const ttlCel = (rule: string) => `${rule}.condition.?ttlSeconds.orValue(0)`;

/** `part` must not be deleted later than `wholes`, which contain it. */
function notAfter(part: RayDeletionPolicy, wholes: readonly RayDeletionPolicy[]): Rule<RayDeletionRule[]> {
  return {
    cel:
      `!self.exists(a, a.policy == '${part}' && self.exists(b, ` +
      `b.policy in [${wholes.map((whole) => `'${whole}'`).join(', ')}] && ${HAVE_SAME_CONDITION} && ` +
      `${ttlCel('b')} < ${ttlCel('a')}))`,
    holds: (self) =>
      !self.some(
        (a) =>
          a.policy === part &&
          self.some((b) => wholes.includes(b.policy) && haveSameCondition(a, b) && ttlOf(b) < ttlOf(a)),
      ),
    message:
      `ttlSeconds of ${part} must not be greater than that of ${wholes.join(' or ')} with the same condition, ` +
      'which also deletes it',
  };
}

const rulesSchema = withRules(
  z
    .array(ruleSchema)
    .max(16)
    .describe('What is deleted when. If several rules are due, the one that deletes most applies.'),
  [
    {
      cel: `self.all(a, self.exists_one(b, b.policy == a.policy && ${HAVE_SAME_CONDITION}))`,
      holds: (self) =>
        self.every((a) => self.filter((b) => b.policy === a.policy && haveSameCondition(a, b)).length === 1),
      message: 'two rules have the same policy and the same condition: keep one',
    },
    notAfter('DeleteWorkers', ['DeleteCluster', 'DeleteSelf']),
    notAfter('DeleteCluster', ['DeleteSelf']),
  ],
);

const legacyPolicySchema = (when: string) =>
  z
    .object({ policy: policySchema() })
    .describe(`Deprecated: use deletionRules. What is deleted when the job has ${when}.`)
    .exactOptional();

export const deletionStrategySchema = withRules(
  z.object({
    deletionRules: rulesSchema.exactOptional(),
    onSuccess: legacyPolicySchema('succeeded'),
    onFailure: legacyPolicySchema('failed'),
  }),
  [
    {
      cel: '!has(self.deletionRules) || self.deletionRules.size() == 0 || !(has(self.onSuccess) || has(self.onFailure))',
      holds: ({ deletionRules = [], onSuccess, onFailure }) =>
        deletionRules.length === 0 || (onSuccess === undefined && onFailure === undefined),
      message: 'remove onSuccess and onFailure: deletionRules replace them',
      reason: 'FieldValueForbidden',
    },
    {
      cel: '(has(self.deletionRules) && self.deletionRules.size() > 0) || has(self.onSuccess) || has(self.onFailure)',
      holds: ({ deletionRules = [], onSuccess, onFailure }) =>
        deletionRules.length > 0 || onSuccess !== undefined || onFailure !== undefined,
      message: 'set at least one rule, or remove deletionStrategy',
      reason: 'FieldValueRequired',
      at: ['deletionRules'],
    },
    {
      cel: 'has(self.onSuccess) == has(self.onFailure)',
      holds: ({ onSuccess, onFailure }) => (onSuccess === undefined) === (onFailure === undefined),
      message: 'set both onSuccess and onFailure, or use deletionRules',
    },
  ],
);

export type RayDeletionStrategy = z.output<typeof deletionStrategySchema>;

interface SpecWithDeletion {
  readonly deletionStrategy?: RayDeletionStrategy;
  readonly shutdownAfterJobFinishes?: boolean;
  readonly clusterSelector?: Readonly<Record<string, string>>;
  readonly rayClusterSpec?: { readonly enableInTreeAutoscaling?: boolean };
}

const STRATEGY = ['deletionStrategy'];

const policiesOf = ({ deletionStrategy }: SpecWithDeletion): (RayDeletionPolicy | undefined)[] => [
  ...(deletionStrategy?.deletionRules ?? []).map(({ policy }) => policy),
  deletionStrategy?.onSuccess?.policy,
  deletionStrategy?.onFailure?.policy,
];

const HAS_RULES = 'has(self.deletionStrategy) && has(self.deletionStrategy.deletionRules)';

function policiesCel(policies: readonly RayDeletionPolicy[]): string {
  const list = `[${policies.map((policy) => `'${policy}'`).join(', ')}]`;
  const legacy = ['onSuccess', 'onFailure'].map(
    (field) => `self.?deletionStrategy.?${field}.?policy.orValue('') in ${list}`,
  );
  return [`(${HAS_RULES} && self.deletionStrategy.deletionRules.exists(r, r.policy in ${list}))`, ...legacy].join(
    ' || ',
  );
}

const hasPolicy = (self: SpecWithDeletion, policies: readonly RayDeletionPolicy[]) =>
  policiesOf(self).some((policy) => policy !== undefined && policies.includes(policy));

/** Rules of the whole spec. */
export const DELETION_RULES: readonly Rule<SpecWithDeletion>[] = [
  {
    cel: `!self.?shutdownAfterJobFinishes.orValue(false) || !(${HAS_RULES} && self.deletionStrategy.deletionRules.size() > 0)`,
    holds: ({ shutdownAfterJobFinishes, deletionStrategy }) =>
      shutdownAfterJobFinishes !== true || (deletionStrategy?.deletionRules ?? []).length === 0,
    message: 'remove it: deletionStrategy.deletionRules decide what is deleted',
    reason: 'FieldValueForbidden',
    at: ['shutdownAfterJobFinishes'],
  },
  {
    cel: `!self.?shutdownAfterJobFinishes.orValue(false) || (${HAS_RULES}) || !(${policiesCel(['DeleteNone'])})`,
    holds: (self) =>
      self.shutdownAfterJobFinishes !== true ||
      self.deletionStrategy?.deletionRules !== undefined ||
      !hasPolicy(self, ['DeleteNone']),
    message: 'DeleteNone contradicts shutdownAfterJobFinishes: remove one of them',
    at: STRATEGY,
  },
  {
    cel: `!has(self.clusterSelector) || self.clusterSelector.size() == 0 || !(${policiesCel(['DeleteCluster', 'DeleteWorkers'])})`,
    holds: (self) =>
      Object.keys(self.clusterSelector ?? {}).length === 0 || !hasPolicy(self, ['DeleteCluster', 'DeleteWorkers']),
    message:
      'DeleteCluster and DeleteWorkers are for a cluster that the job creates, not for clusterSelector: use ' +
      'another policy',
    reason: 'FieldValueForbidden',
    at: STRATEGY,
  },
  {
    cel: `!self.?rayClusterSpec.?enableInTreeAutoscaling.orValue(false) || !(${policiesCel(['DeleteWorkers'])})`,
    holds: (self) => self.rayClusterSpec?.enableInTreeAutoscaling !== true || !hasPolicy(self, ['DeleteWorkers']),
    message: 'DeleteWorkers cannot be used with the autoscaler: use DeleteCluster',
    reason: 'FieldValueForbidden',
    at: STRATEGY,
  },
];
