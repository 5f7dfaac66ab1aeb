/** One role of a job: number of pods, template and restart policy. */
import * as z from 'zod';
import { podTemplateSchema } from './pod-template.ts';
import { withRules } from './rule.ts';

export const RESTART_POLICIES = ['Always', 'OnFailure', 'Never', 'ExitCode'] as const;

export type RestartPolicy = (typeof RESTART_POLICIES)[number];

/** Ten times the largest known jobs: a typo must not fill the memory of the operator. */
export const MAX_REPLICAS = 100_000;

export interface RoleRules {
  /** Name of the main container. Default: the first container. */
  readonly mainContainer?: string;
  /** Default restart policy, as text for the description. */
  readonly defaultRestartPolicy: string;
  /** 0 allows a role without pods. */
  readonly leastReplicas: 0 | 1;
}

/** Number of replicas, at least `least`. */
export function replicasSchema(least: 0 | 1, description: string) {
  return withRules(z.int32().max(MAX_REPLICAS).describe(description), [
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
    replicas: replicasSchema(leastReplicas, 'Number of pods. Default 1.').exactOptional(),
    template: podTemplateSchema(mainContainer).describe('Template of the pods of the role.'),
    restartPolicy: z
      .enum([...RESTART_POLICIES, ''])
      .describe(
        'What happens when a pod fails. Always and OnFailure: its containers are restarted. Never: the job ' +
          'fails. ExitCode: exit codes from 128 up are retried, 1 to 127 fail the job. Overrides the ' +
          `restartPolicy of the template. Default ${defaultRestartPolicy}.`,
      )
      .exactOptional(),
  });
}

export type ReplicaSpec = z.output<ReturnType<typeof replicaSpecSchema>>;
