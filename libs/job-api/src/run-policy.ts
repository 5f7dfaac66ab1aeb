/** How a job is run, limited and cleaned up: the same fields in every kind of job. */
import * as z from 'zod';
import { failurePolicySchema } from './failure-policy.ts';
import { progressDeadlineSeconds } from './job-progress.ts';
import { withRules } from './rule.ts';
import { count, longCount, quantity } from './scalars.ts';
import { startOrderSchema } from './start-order.ts';

export const CLEAN_POD_POLICIES = ['All', 'Running', 'None'] as const;

/** The value of `managedBy` that means this operator, as does leaving it out. */
export const MANAGED_BY_TRAINING_OPERATOR = 'kubeflow.org/training-operator';

/** The value of `managedBy` that means the operator of an MPIJob, as does the one above. */
export const MANAGED_BY_MPI_OPERATOR = 'kubeflow.org/mpi-operator';

/** The value of `managedBy` with which Kueue runs the job in another cluster. */
export const MANAGED_BY_MULTIKUEUE = 'kueue.x-k8s.io/multikueue';

const schedulingPolicySchema = z.object({
  minAvailable: count()
    .describe(
      'How many pods must be able to start together. Default: all replicas, or the elastic minimum. More than there are replicas means all of them.',
    )
    .exactOptional(),
  queue: withRules(
    z
      .string()
      .describe(
        "The gang scheduler's queue. Default for Volcano: that of the job's annotation scheduling.volcano.sh/queue-name, or else " +
          'default. Cannot be changed once set.',
      ),
    [{ cel: 'self == oldSelf', message: 'spec.runPolicy.schedulingPolicy.queue is immutable' }],
  ).exactOptional(),
  minResources: z
    .record(z.string(), quantity().describe('Quantity, for example 500m, 2 or 16Gi.'))
    .describe(
      "The resources that must be free before any pod is started, by resource name. Default: the sum of the pods' requests.",
    )
    .exactOptional(),
  priorityClass: z.string().describe("The PriorityClass of the job's pod group.").exactOptional(),
  scheduleTimeoutSeconds: count()
    .describe('How long the gang scheduler tries to place the pods together before it gives up and tries anew.')
    .exactOptional(),
});

/** What gang schedulers are told. */
export type SchedulingPolicy = z.output<typeof schedulingPolicySchema>;

export const SCHEDULING_POLICY_FIELDS = Object.keys(schedulingPolicySchema.shape) as (keyof SchedulingPolicy)[];

const DOMAIN_PATH = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[A-Za-z0-9/_.~-]+$';

/** `managedBy`, where the names `ours` mean Muster. */
function managedBySchema(ours: readonly string[]) {
  const description =
    `Who runs the job: ${ours.join(', ')}, or unset, is Muster. With any other domain-qualified name, ` +
    'such as kueue.x-k8s.io/multikueue, Muster leaves the job alone. Cannot be changed.';
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
      'Which pods are deleted once the job has ended: All, Running (those that still run) or None. Unset, roles that ' +
        'never end by themselves are stopped and all other pods stay.',
    )
    .exactOptional(),
  ttlSecondsAfterFinished: count()
    .describe('The job is deleted this many seconds after it ended. Unset: never.')
    .exactOptional(),
  activeDeadlineSeconds: longCount()
    .describe('The job fails when it has been active for this many seconds, counted from its start or last resumption.')
    .exactOptional(),
  backoffLimit: count()
    .describe('The job fails when its replicas were restarted more often than this. Unset: no limit.')
    .exactOptional(),
  lostNodeTimeoutSeconds: count()
    .describe(
      'Deletes a pod by force once it is being deleted, its grace period is over, and its node has not been ready for this many ' +
        'seconds, so that its replica can be recreated. The program may still run on the node: set it only if two at a time do no ' +
        'harm. Needs --force-delete-pods-on-lost-nodes. Unset: never.',
    )
    .exactOptional(),
  progressDeadlineSeconds: progressDeadlineSeconds().exactOptional(),
  schedulingPolicy: schedulingPolicySchema.describe('What gang schedulers are told about the job.').exactOptional(),
  suspend: z
    .boolean()
    .default(false)
    .describe('True stops the job: its pods are deleted. Back to false, it starts again.'),
});

interface RunPolicyOfKind {
  /** The names in `managedBy` that mean Muster. */
  readonly ours?: readonly string[];
  /** Whether roles may wait for others by an init container: pods have a port of the framework then. */
  readonly waitsInPods?: boolean;
}

/** `spec.runPolicy` of a kind with these roles. The API server adds it, with `suspend: false`, when a manifest leaves it out. */
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
      message: 'field is immutable: delete the job and create it anew to hand it to another controller',
      at: ['managedBy'],
    },
    {
      cel:
        'has(self.progressDeadlineSeconds) || !has(self.failurePolicy) || ' +
        '!self.failurePolicy.rules.exists(rule, has(rule.onNoProgress) && rule.onNoProgress)',
      holds: ({ progressDeadlineSeconds: deadline, failurePolicy }) =>
        deadline !== undefined || failurePolicy?.rules.every(({ onNoProgress }) => onNoProgress !== true) !== false,
      message: 'a rule of failurePolicy has onNoProgress, which asks for this deadline',
      reason: 'FieldValueRequired',
      at: ['progressDeadlineSeconds'],
    },
  ])
    .prefault({})
    .describe('How the job is run, limited and cleaned up.');
}

export type RunPolicy = z.output<ReturnType<typeof runPolicySchema>>;
