/** One role of a job: how many pods, made how, restarted when. */
import * as z from 'zod';
import { podTemplateSchema } from './pod-template.ts';
import { withRules } from './rule.ts';

export const RESTART_POLICIES = ['Always', 'OnFailure', 'Never', 'ExitCode'] as const;

export type RestartPolicy = (typeof RESTART_POLICIES)[number];

/** Ten times what the largest known jobs have: a slip of the finger must not fill the memory of every operator. */
export const MOST_REPLICAS = 100_000;

export interface RoleRules {
  /** The name of the container that does the work. */
  readonly mainContainer: string;
  /** What applies when a manifest names no restart policy, for the description. */
  readonly defaultRestartPolicy: RestartPolicy;
  /** Whether a role may be named and yet have no pods. */
  readonly leastReplicas: 0 | 1;
}

export function replicaSpecSchema({ mainContainer, defaultRestartPolicy, leastReplicas }: RoleRules) {
  return z.object({
    replicas: withRules(z.int32().max(MOST_REPLICAS).describe('How many pods. Default 1.'), [
      {
        cel: `self >= ${leastReplicas}`,
        holds: (self) => self >= leastReplicas,
        message: `must be at least ${leastReplicas}; to stop a job without deleting it, set spec.runPolicy.suspend to true`,
        reason: 'FieldValueForbidden',
      },
    ]).exactOptional(),
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
