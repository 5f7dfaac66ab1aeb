/** `spec.runPolicy`: the same fields in every kind of job. */
import * as z from 'zod';
import { failurePolicySchema } from './failure-policy.ts';
import { progressDeadlineSeconds } from './job-progress.ts';
import { withRules } from './rule.ts';
import { count, longCount, quantity, queueName, subdomainOrEmpty } from './scalars.ts';
import { startOrderSchema } from './start-order.ts';

export const CLEAN_POD_POLICIES = ['All', 'Running', 'None'] as const;

/** Value of `managedBy` for Muster, the same as unset. */
export const MANAGED_BY_TRAINING_OPERATOR = 'kubeflow.org/training-operator';

/** Another value of `managedBy` for Muster, on MPIJobs. */
export const MANAGED_BY_MPI_OPERATOR = 'kubeflow.org/mpi-operator';

/** Value of `managedBy` with which Kueue runs the job in another cluster. */
export const MANAGED_BY_MULTIKUEUE = 'kueue.x-k8s.io/multikueue';

const schedulingPolicySchema = z.object({
  minAvailable: count()
    .describe(
      'Number of pods that must be able to start together. Default: all replicas, or the minimum of an elastic ' +
        'job. A number above that of the replicas means all of them.',
    )
    .exactOptional(),
  queue: withRules(
    queueName().describe(
      'Queue of the gang scheduler. Default for Volcano: the annotation scheduling.volcano.sh/queue-name of ' +
        'the job, else default. Cannot be changed once set.',
    ),
    [{ cel: 'self == oldSelf', message: 'spec.runPolicy.schedulingPolicy.queue is immutable' }],
  ).exactOptional(),
  minResources: z
    .record(z.string(), quantity().describe('Quantity, for example 500m, 2 or 16Gi.'))
    .describe(
      'Resources that must be free before any pod is started, by resource name. Default: the sum of the ' +
        'requests of the pods.',
    )
    .exactOptional(),
  priorityClass: subdomainOrEmpty().describe("PriorityClass of the job's pod group.").exactOptional(),
  scheduleTimeoutSeconds: count()
    .describe('Seconds that the gang scheduler tries to place the pods together before it gives up and retries.')
    .exactOptional(),
});

export type SchedulingPolicy = z.output<typeof schedulingPolicySchema>;

export const SCHEDULING_POLICY_FIELDS = Object.keys(schedulingPolicySchema.shape) as (keyof SchedulingPolicy)[];

const DOMAIN_PATH = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[A-Za-z0-9/_.~-]+$';

/** `managedBy`; the names in `ours` mean Muster. */
function managedBySchema(ours: readonly string[]) {
  const description =
    `Controller of the job. ${ours.join(', ')}, or unset: Muster. Any other domain-qualified name, such as ` +
    'kueue.x-k8s.io/multikueue: Muster ignores the job. Cannot be changed.';
  return withRules(z.string().max(63).describe(description), [
    {
      cel: `self.matches('${DOMAIN_PATH}')`,
      holds: (self) => new RegExp(DOMAIN_PATH).test(self),
      message: `must be a domain-qualified name, such as ${ours[0]} or kueue.x-k8s.io/multikueue; leave it out for Muster`,
    },
  ]);
}

const runPolicyFields = z.object({
  cleanPodPolicy: z
    .enum([...CLEAN_POD_POLICIES, ''])
    .describe(
      'Which pods are deleted after the job has ended: All, Running (those that still run) or None. Default: ' +
        'roles that never end by themselves are stopped, and all other pods are kept.',
    )
    .exactOptional(),
  ttlSecondsAfterFinished: count()
    .describe('Seconds from the end of the job until it is deleted. Default: never.')
    .exactOptional(),
  activeDeadlineSeconds: longCount()
    .describe(
      'The job fails if it is active for more than this many seconds since its start or last resumption. ' +
        'Default: no limit.',
    )
    .exactOptional(),
  startDeadlineSeconds: count()
    .describe(
      'The job fails if its replicas do not all run at the same time within this many seconds of its start or last ' +
        'resumption. An elastic job needs the minimum of its workers. Default: no limit.',
    )
    .exactOptional(),
  backoffLimit: count()
    .describe('The job fails if its replicas are restarted more often than this. Default: no limit.')
    .exactOptional(),
  lostNodeTimeoutSeconds: count()
    .describe(
      'Seconds that a node must be not ready before a pod on it that is being deleted, and whose grace period ' +
        'is over, is deleted by force and recreated. The program may still run on the node: set this only if two ' +
        'copies do no harm. Needs --force-delete-pods-on-lost-nodes. Default: never.',
    )
    .exactOptional(),
  progressDeadlineSeconds: progressDeadlineSeconds().exactOptional(),
  schedulingPolicy: schedulingPolicySchema.describe('Gang scheduling of the job.').exactOptional(),
  suspend: z
    .boolean()
    .default(false)
    .describe('True suspends the job: its pods are deleted. False starts it again. Default false.'),
});

interface RunPolicyOfKind {
  /** Values of `managedBy` for Muster. */
  readonly ours?: readonly string[];
  /** Whether roles can wait for others in an init container: their pods need a port of the framework. */
  readonly waitsInPods?: boolean;
}

/**
 * `spec.runPolicy` of a kind with these roles. If a manifest lacks it, the API server adds it with `suspend: false`.
 */
export function runPolicySchema(
  roles: readonly string[],
  { ours = [MANAGED_BY_TRAINING_OPERATOR], waitsInPods = true }: RunPolicyOfKind = {},
) {
  const fields = runPolicyFields.extend({
    failurePolicy: failurePolicySchema(roles).exactOptional(),
    managedBy: managedBySchema(ours).exactOptional(),
    startOrder: startOrderSchema(roles, waitsInPods).exactOptional(),
  });
  return withRules(fields, [
    {
      cel: 'has(self.managedBy) == has(oldSelf.managedBy) && (!has(self.managedBy) || self.managedBy == oldSelf.managedBy)',
      message: 'field is immutable: to use another controller, delete the job and create it again',
      at: ['managedBy'],
    },
    {
      cel:
        'has(self.progressDeadlineSeconds) || !has(self.failurePolicy) || ' +
        '!self.failurePolicy.rules.exists(rule, has(rule.onNoProgress) && rule.onNoProgress)',
      holds: ({ progressDeadlineSeconds: deadline, failurePolicy }) =>
        deadline !== undefined || failurePolicy?.rules.every(({ onNoProgress }) => onNoProgress !== true) !== false,
      message: 'a rule of failurePolicy has onNoProgress, which needs this deadline',
      reason: 'FieldValueRequired',
      at: ['progressDeadlineSeconds'],
    },
  ])
    .prefault({})
    .describe('Limits, scheduling, restarts and clean-up of the job.');
}

export type RunPolicy = z.output<ReturnType<typeof runPolicySchema>>;
