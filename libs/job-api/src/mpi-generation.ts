/**
 * Which of the three MPIJob APIs a job follows.
 *
 * `kubeflow.org` has had three incompatible MPIJobs under one name. The one CRD serves them all, without conversion: an
 * object reads the same through each version, so the version that it is read through says nothing about it. What does is
 * `spec.apiGeneration`, a field whose default is the name of the version: the API server fills it in when a job is
 * written, and for a stored job that lacks it, from the version that it was stored in.
 *
 * For that, the schemas of the versions may differ in this default only. What holds for one generation is a rule on the
 * field: a `required` of one version would refuse every patch, made through it, of the other generations' jobs.
 */
import * as z from 'zod';
import { withRules, type Rule } from './rule.ts';

/** In the order of age, newest first. */
export const MPI_GENERATIONS = ['v2beta1', 'v1', 'v1alpha1'] as const;

export type MPIGeneration = (typeof MPI_GENERATIONS)[number];

interface OfGeneration {
  readonly apiGeneration: MPIGeneration;
}

/** `spec.apiGeneration` in the version `version`. */
export function apiGenerationSchema(version: MPIGeneration) {
  const marker = withRules(z.enum(MPI_GENERATIONS), [
    {
      cel: 'self == oldSelf',
      message: 'field is immutable: delete the job and create it anew to move it to another version of the API',
    },
  ]);
  return marker
    .default(version)
    .describe(
      "Which API's rules the job follows: that of the version it was written in. Set by the API server; leave it out. " +
        'Cannot be changed.',
    );
}

/** `rules`, for the jobs of `generations` only. */
export function rulesOf<Spec extends OfGeneration>(
  generations: readonly MPIGeneration[],
  rules: readonly Rule<Spec>[],
): Rule<Spec>[] {
  const others = MPI_GENERATIONS.filter((generation) => !generations.includes(generation));
  const isOther = `self.apiGeneration in [${others.map((other) => `'${other}'`).join(', ')}]`;
  return rules.map((rule) => ({
    ...rule,
    cel: `${isOther} || (${rule.cel})`,
    ...(rule.holds && { holds: (self: Spec) => others.includes(self.apiGeneration) || rule.holds?.(self) === true }),
  }));
}
