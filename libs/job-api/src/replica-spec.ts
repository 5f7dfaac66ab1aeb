/** One role of a job: how many pods, made how, restarted when. */
import * as z from 'zod';
import { podTemplateSchema } from './pod-template.ts';
import { withRules } from './rule.ts';

export const RESTART_POLICIES = ['Always', 'OnFailure', 'Never', 'ExitCode'] as const;

export type RestartPolicy = (typeof RESTART_POLICIES)[number];

/** Ten times what the largest known jobs have: a slip of the finger must not fill the memory of every operator. */
export const MOST_REPLICAS = 100_000;

export interface RoleRules {
  /** The name of the container that does the work; without it the first one, whatever its name. */
  readonly mainContainer?: string;
  /** What applies when a manifest names no restart policy, in words for the description. */
  readonly defaultRestartPolicy: string;
  /** Whether a role may be named and yet have no pods. */
  readonly leastReplicas: 0 | 1;
}

/** A number of replicas, `description` saying of what, which may not be below `least`. */
export function replicasSchema(least: 0 | 1, description: string) {
  return withRules(z.int32().max(MOST_REPLICAS).describe(description), [
    {
      cel: `self >= ${least}`,
      holds: (self) => self >= least,
      message: `must be at least ${least}; to stop a job without deleting it, set spec.runPolicy.suspend to true`,
      reason: 'FieldValueForbidden',
    },
  ]);
}

export function replicaSpecSchema({ mainContainer, defaultRestartPolicy, leastReplicas }: RoleRules) {
  return z.object({
    replicas: replicasSchema(leastReplicas, 'How many pods. Default 1.').exactOptional(),
    template: podTemplateSchema(mainContainer).describe('What each pod of the role is made from.'),
    restartPolicy: z
      .enum([...RESTART_POLICIES, ''])
      .describe(
        'What happens when a pod fails. Always and OnFailure: its containers are started again. Never: the job fails. ExitCode: codes from ' +
          `128 up are tried again, 1 to 127 fail the job. Takes precedence over the template's. Default ${defaultRestartPolicy}.`,
      )
      .exactOptional(),
  });
}

export type ReplicaSpec = z.output<ReturnType<typeof replicaSpecSchema>>;
