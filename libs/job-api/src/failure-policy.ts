/** `spec.runPolicy.failurePolicy`: actions on failures, modelled on podFailurePolicy of a Kubernetes Job. */
import * as z from 'zod';
import { FAILURE_CLASSES } from './failure-class.ts';
import { withRules, type Rule } from './rule.ts';

export const FAILURE_ACTIONS = ['RestartReplica', 'RestartRole', 'RestartJob', 'FailJob', 'Ignore'] as const;

export type FailureAction = (typeof FAILURE_ACTIONS)[number];

/** Classes that one pod alone shows. Cascade and Deleted are determined from several failures. */
const REASONS = FAILURE_CLASSES.filter((each) => each !== 'Cascade' && each !== 'Deleted');

/** Matchers that need a failed pod. */
const OF_PODS = ['onExitCodes', 'onPodConditions', 'onReasons', 'onMessage'] as const;

const LONGEST_DELAY_SECONDS = 86_400;

const exitCodesSchema = withRules(
  z.object({
    operator: z
      .enum(['In', 'NotIn'])
      .describe('In: the exit code is one of values. NotIn: it is neither 0 nor one of values.'),
    values: z.array(z.int32().min(0).max(255)).min(1).max(255).describe('Exit codes. 128 + n means signal n.'),
    containerName: z
      .string()
      .min(1)
      .max(63)
      .describe('Matches only this container or init container. Default: any container of the pod.')
      .exactOptional(),
  }),
  [
    {
      cel: "self.operator != 'In' || !(0 in self.values)",
      holds: ({ operator, values }) => operator !== 'In' || !values.includes(0),
      message: '0 is not a failure: remove it',
      at: ['values'],
    },
  ],
);

const podConditionSchema = z.object({
  type: z.string().min(1).max(316).describe('Type of the condition, for example DisruptionTarget.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Status of the condition. Default True.').exactOptional(),
});

const MATCHERS = {
  onExitCodes: exitCodesSchema.describe('The exit code of a container matches.').exactOptional(),
  onPodConditions: z
    .array(podConditionSchema)
    .min(1)
    .max(20)
    .describe('The pod has one of these conditions.')
    .exactOptional(),
  onReasons: z
    .array(z.enum(REASONS))
    .min(1)
    .max(REASONS.length)
    .describe(
      'The failure is one of these. Program: the program exited with an error. OutOfMemory: it was killed ' +
        'because it used too much memory. Evicted, Preempted, NodeLost: the cluster ended the pod. Refused: the ' +
        'node rejected the pod or cannot start it. Image: an image cannot be pulled.',
    )
    .exactOptional(),
  onMessage: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(10)
    .describe(
      "The termination message of a container (terminationMessagePath), or the cluster's message about the " +
        'pod, contains one of these texts. * matches any characters. Case-sensitive.',
    )
    .exactOptional(),
  onNoProgress: z
    .boolean()
    .describe(
      'True: matches a job that makes no progress (progressDeadlineSeconds), and no other failure. The failed ' +
        'replica is the one that is behind, or the first one if none is. Default false.',
    )
    .exactOptional(),
};

interface RuleFields extends Partial<Record<(typeof OF_PODS)[number], unknown>> {
  readonly action: FailureAction;
  readonly onNoProgress?: boolean;
  readonly countsTowardsBackoffLimit?: boolean;
  readonly delaySeconds?: number;
  readonly inPlace?: boolean;
}

const RULES: readonly Rule<RuleFields>[] = [
  {
    cel: `!has(self.onNoProgress) || !self.onNoProgress || !(${OF_PODS.map((field) => `has(self.${field})`).join(' || ')})`,
    holds: (self) => self.onNoProgress !== true || OF_PODS.every((field) => self[field] === undefined),
    message: 'a job without progress has no failed pod: move the other conditions to a separate rule',
    reason: 'FieldValueForbidden',
    at: ['onNoProgress'],
  },
  {
    cel: "!has(self.countsTowardsBackoffLimit) || !(self.action in ['FailJob', 'Ignore'])",
    holds: ({ action, countsTowardsBackoffLimit }) =>
      countsTowardsBackoffLimit === undefined || !(action === 'FailJob' || action === 'Ignore'),
    message: 'remove it: FailJob and Ignore do not count towards backoffLimit',
    reason: 'FieldValueForbidden',
    at: ['countsTowardsBackoffLimit'],
  },
  {
    cel: "!has(self.delaySeconds) || self.action != 'FailJob'",
    holds: ({ action, delaySeconds }) => delaySeconds === undefined || action !== 'FailJob',
    message: 'remove it: FailJob ends the job at once',
    reason: 'FieldValueForbidden',
    at: ['delaySeconds'],
  },
  {
    cel: "!has(self.inPlace) || !self.inPlace || self.action == 'RestartJob'",
    holds: ({ action, inPlace }) => inPlace !== true || action === 'RestartJob',
    message: 'remove it, or use action RestartJob: other actions do not restart in place',
    reason: 'FieldValueForbidden',
    at: ['inPlace'],
  },
];

function ruleSchema(roles: readonly string[]) {
  const fields = z.object({
    name: z
      .string()
      .min(1)
      .max(63)
      .describe('Name of the rule in messages. Default: its number, from 1.')
      .exactOptional(),
    action: z
      .enum(FAILURE_ACTIONS)
      .describe(
        'RestartReplica recreates the pod. RestartRole and RestartJob recreate all pods of the role or job: no ' +
          'new pod is created until every old one is gone. FailJob fails the job. Ignore recreates the pod ' +
          'without counting the failure.',
      ),
    roles: z
      .array(z.enum(roles as [string, ...string[]]))
      .min(1)
      .max(10)
      .describe('Matches only failures of these roles. Default: all roles.')
      .exactOptional(),
    ...MATCHERS,
    countsTowardsBackoffLimit: z
      .boolean()
      .describe(
        'Whether the restart counts towards backoffLimit. Default: true if the program caused the failure, ' +
          'false if the cluster did.',
      )
      .exactOptional(),
    delaySeconds: z
      .int32()
      .min(0)
      .max(LONGEST_DELAY_SECONDS)
      .describe(
        'Minimum time from the failure until pods are recreated, in seconds. Repeated failures back off for longer.',
      )
      .exactOptional(),
    inPlace: z
      .boolean()
      .describe(
        'True: the kubelet restarts the containers of existing pods on their nodes. Pods that cannot be ' +
          'restarted like this are recreated. Only for RestartJob. Needs Kubernetes 1.36, and a shell in the ' +
          'image. Default false.',
      )
      .exactOptional(),
  });
  return withRules(fields, RULES);
}

export function failurePolicySchema(roles: readonly string[]) {
  const rules = withRules(z.array(ruleSchema(roles)).min(1).max(20), [
    {
      cel: 'self.all(a, !has(a.name) || self.exists_one(b, has(b.name) && a.name == b.name))',
      holds: (self) => {
        const names = self.flatMap(({ name }) => name ?? []);
        return new Set(names).size === names.length;
      },
      message: 'two rules have the same name: rename one',
    },
  ]);
  return z
    .object({
      rules: rules.describe(
        'Read in order: the first rule that matches a failure decides. All conditions of a rule must match; a ' +
          'rule without conditions matches every failure. If no rule matches, the restartPolicy of the role ' +
          'decides.',
      ),
    })
    .describe(
      'Actions on failures. Default: the restartPolicy of each role decides. For roles that a rule can match, ' +
        'Muster recreates pods instead of letting the kubelet restart containers in place.',
    );
}

export type FailurePolicy = z.output<ReturnType<typeof failurePolicySchema>>;

export type FailurePolicyRule = FailurePolicy['rules'][number];
