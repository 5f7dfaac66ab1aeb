/** `spec.deletionStrategy` of a RayJob: what of it is deleted once it has ended, and when. */
import * as z from 'zod';
import { withRules, type Rule } from './rule.ts';
import { count } from './scalars.ts';

/** From the least far-reaching to the most. */
export const RAY_DELETION_POLICIES = ['DeleteNone', 'DeleteWorkers', 'DeleteCluster', 'DeleteSelf'] as const;

export type RayDeletionPolicy = (typeof RAY_DELETION_POLICIES)[number];

const policySchema = () =>
  z
    .enum(RAY_DELETION_POLICIES)
    .describe('What is deleted: DeleteNone, DeleteWorkers, DeleteCluster, or DeleteSelf, the job with all it has.');

const conditionSchema = withRules(
  z.object({
    jobStatus: z
      .enum(['SUCCEEDED', 'FAILED'])
      .describe('When the Ray job has ended like this; either this or jobDeploymentStatus.')
      .exactOptional(),
    jobDeploymentStatus: z
      .enum(['Failed'])
      .describe('When the RayJob has ended like this, also where no Ray job was ever submitted.')
      .exactOptional(),
    ttlSeconds: count().describe('So many seconds after that. Default 0.').exactOptional(),
  }),
  [
    {
      cel: 'has(self.jobStatus) != has(self.jobDeploymentStatus)',
      holds: ({ jobStatus, jobDeploymentStatus }) => (jobStatus === undefined) !== (jobDeploymentStatus === undefined),
      message: 'name either jobStatus or jobDeploymentStatus',
    },
  ],
);

const ruleSchema = z.object({
  policy: policySchema(),
  condition: conditionSchema.describe('When it is deleted.'),
});

export type RayDeletionRule = z.output<typeof ruleSchema>;

type Pair = (a: RayDeletionRule, b: RayDeletionRule) => boolean;

const haveSameCondition: Pair = (a, b) =>
  a.condition.jobStatus === b.condition.jobStatus &&
  a.condition.jobDeploymentStatus === b.condition.jobDeploymentStatus;

/** Of two rules that each name one of the two. */
const HAVE_SAME_CONDITION =
  'has(a.condition.jobStatus) == has(b.condition.jobStatus) && ' +
  '(!has(a.condition.jobStatus) || a.condition.jobStatus == b.condition.jobStatus)';

const ttlOf = ({ condition }: RayDeletionRule) => condition.ttlSeconds ?? 0;
const ttlCel = (rule: string) => `${rule}.condition.?ttlSeconds.orValue(0)`;

/** What goes no later than something of which it is a part. */
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
      `ttlSeconds of ${part} must not be greater than that of ${wholes.join(' or ')} of the same condition: it would be ` +
      'deleted with it',
  };
}

const rulesSchema = withRules(
  z
    .array(ruleSchema)
    .max(16)
    .describe('What is deleted when. Of several rules that are due, the most far-reaching is followed.'),
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
      message: 'remove onSuccess and onFailure: deletionRules take their place',
      reason: 'FieldValueForbidden',
    },
    {
      cel: '(has(self.deletionRules) && self.deletionRules.size() > 0) || has(self.onSuccess) || has(self.onFailure)',
      holds: ({ deletionRules = [], onSuccess, onFailure }) =>
        deletionRules.length > 0 || onSuccess !== undefined || onFailure !== undefined,
      message: 'name at least one rule, or remove deletionStrategy',
      reason: 'FieldValueRequired',
      at: ['deletionRules'],
    },
    {
      cel: 'has(self.onSuccess) == has(self.onFailure)',
      holds: ({ onSuccess, onFailure }) => (onSuccess === undefined) === (onFailure === undefined),
      message: 'onSuccess and onFailure belong together: name both, or use deletionRules',
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

/** Of the whole spec. */
export const DELETION_RULES: readonly Rule<SpecWithDeletion>[] = [
  {
    cel: `!self.?shutdownAfterJobFinishes.orValue(false) || !(${HAS_RULES} && self.deletionStrategy.deletionRules.size() > 0)`,
    holds: ({ shutdownAfterJobFinishes, deletionStrategy }) =>
      shutdownAfterJobFinishes !== true || (deletionStrategy?.deletionRules ?? []).length === 0,
    message: 'remove it: deletionStrategy.deletionRules say what is deleted',
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
    message: 'DeleteCluster and DeleteWorkers are for a cluster that the job has made, not for one of clusterSelector',
    reason: 'FieldValueForbidden',
    at: STRATEGY,
  },
  {
    cel: `!self.?rayClusterSpec.?enableInTreeAutoscaling.orValue(false) || !(${policiesCel(['DeleteWorkers'])})`,
    holds: (self) => self.rayClusterSpec?.enableInTreeAutoscaling !== true || !hasPolicy(self, ['DeleteWorkers']),
    message: 'DeleteWorkers is not for a cluster whose workers the autoscaler looks after: use DeleteCluster',
    reason: 'FieldValueForbidden',
    at: STRATEGY,
  },
];
