/** `spec.runPolicy.failurePolicy`: what follows from a failure, in the shape of Kubernetes' podFailurePolicy of a Job. */
import * as z from 'zod';
import { FAILURE_CLASSES } from './failure-class.ts';
import { withRules, type Rule } from './rule.ts';

export const FAILURE_ACTIONS = ['RestartReplica', 'RestartRole', 'RestartJob', 'FailJob', 'Ignore'] as const;

export type FailureAction = (typeof FAILURE_ACTIONS)[number];

/** Those that a pod shows by itself: a cascade and its cause, a deleted pod, are known only beside other failures. */
const REASONS = FAILURE_CLASSES.filter((each) => each !== 'Cascade' && each !== 'Deleted');

/** What is matched against a pod that has failed. */
const OF_PODS = ['onExitCodes', 'onPodConditions', 'onReasons', 'onMessage'] as const;

/** No rule keeps a job waiting longer than a day. */
const LONGEST_DELAY_SECONDS = 86_400;

const exitCodesSchema = withRules(
  z.object({
    operator: z
      .enum(['In', 'NotIn'])
      .describe('In: the code is one of values. NotIn: it is neither one of them nor 0.'),
    values: z.array(z.int32().min(0).max(255)).min(1).max(255).describe('Exit codes; 128 + n stands for signal n.'),
    containerName: z
      .string()
      .min(1)
      .max(63)
      .describe('Only the code of this container, or init container. Default: any container of the pod.')
      .exactOptional(),
  }),
  [
    {
      cel: "self.operator != 'In' || !(0 in self.values)",
      holds: ({ operator, values }) => operator !== 'In' || !values.includes(0),
      message: '0 is no failure: remove it',
      at: ['values'],
    },
  ],
);

const podConditionSchema = z.object({
  type: z.string().min(1).max(316).describe('The type of the condition, for example DisruptionTarget.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Its status. Default True.').exactOptional(),
});

/** What a failure has to be for a rule to match. */
const MATCHERS = {
  onExitCodes: exitCodesSchema.describe('A container ended with such a code.').exactOptional(),
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
      'The failure is one of these. Program: the program ended badly. OutOfMemory: it needed more memory than it may have. ' +
        'Evicted, Preempted, NodeLost: the cluster took the pod away. Refused: the node did not take it, or cannot start it. ' +
        'Image: an image cannot be had.',
    )
    .exactOptional(),
  onMessage: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(10)
    .describe(
      "A container's last words (terminationMessagePath), or what the cluster says of the pod, has one of these texts in it. " +
        '* stands for any characters, upper and lower case differ.',
    )
    .exactOptional(),
  onNoProgress: z
    .boolean()
    .describe(
      'True: for a job that hangs (progressDeadlineSeconds), and no other failure. What fails is the replica that is behind, or the ' +
        'first one where none is.',
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
    message: 'a job that hangs has no pod that failed: put the other conditions into a rule of their own',
    reason: 'FieldValueForbidden',
    at: ['onNoProgress'],
  },
  {
    cel: "!has(self.countsTowardsBackoffLimit) || !(self.action in ['FailJob', 'Ignore'])",
    holds: ({ action, countsTowardsBackoffLimit }) =>
      countsTowardsBackoffLimit === undefined || !(action === 'FailJob' || action === 'Ignore'),
    message: 'remove it: FailJob and Ignore count nothing',
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
    message: 'remove it, or use action RestartJob: no other restarts in place',
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
      .describe('What the rule is called in messages. Default: its number, from 1.')
      .exactOptional(),
    action: z
      .enum(FAILURE_ACTIONS)
      .describe(
        'RestartReplica makes the pod anew, RestartRole and RestartJob all pods of its role or of the job together, none before ' +
          'all of before are gone. FailJob ends the job. Ignore makes the pod anew and counts nothing.',
      ),
    roles: z
      .array(z.enum(roles as [string, ...string[]]))
      .min(1)
      .max(10)
      .describe('Failures of these roles only. Default: of any.')
      .exactOptional(),
    ...MATCHERS,
    countsTowardsBackoffLimit: z
      .boolean()
      .describe(
        'Whether the restart counts towards backoffLimit. Default: what the program did counts, what the cluster did does not.',
      )
      .exactOptional(),
    delaySeconds: z
      .int32()
      .min(0)
      .max(LONGEST_DELAY_SECONDS)
      .describe(
        'The least time from the failure until pods are made anew. Failures in a row wait longer by themselves.',
      )
      .exactOptional(),
    inPlace: z
      .boolean()
      .describe(
        'True: the kubelet restarts the containers of pods that are there, on the node they are on. What cannot be restarted so is ' +
          'made anew. Needs Kubernetes 1.36, and a shell in the image.',
      )
      .exactOptional(),
  });
  return withRules(fields, RULES);
}

/** Of a kind with these roles. */
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
        'Read in order: the first that matches a failure decides. All conditions of a rule have to hold; one without conditions ' +
          "matches every failure. Where none matches, the role's restartPolicy decides.",
      ),
    })
    .describe(
      'What follows from which failure. Unset: restartPolicy decides. Of roles that a rule speaks of, Muster restarts containers as new ' +
        'pods, not the kubelet in place.',
    );
}

export type FailurePolicy = z.output<ReturnType<typeof failurePolicySchema>>;

export type FailurePolicyRule = FailurePolicy['rules'][number];
