/**
 * Which of the three MPIJob APIs a job follows.
 *
 * `kubeflow.org` has had three incompatible MPIJobs of the same name. One CRD serves all versions without conversion,
 * so the version of a request does not show which API a job follows. `spec.apiGeneration` does. Its default is the
 * name of the version: the API server sets it when a job is written, and derives it from the storage version for
 * stored jobs that lack it.
 *
 * Therefore the schemas of the versions may differ only in this default. Requirements of one generation are CEL rules
 * on the field: a `required` in one version would reject every patch of other generations' jobs through that version.
 */
import * as z from 'zod';
import { withRules, type Rule } from './rule.ts';

/** Newest first. */
export const MPI_GENERATIONS = ['v2beta1', 'v1', 'v1alpha1'] as const;

export type MPIGeneration = (typeof MPI_GENERATIONS)[number];

interface OfGeneration {
  readonly apiGeneration: MPIGeneration;
}

/**
 * The API that the job follows. Another operator's CRD drops `spec.apiGeneration`: then it is the version in which the job is read,
 * which is v2beta1 for objects of a list.
 */
export function mpiGenerationOf(job: { readonly apiVersion?: string; readonly spec?: object }): MPIGeneration {
  const { apiGeneration } = (job.spec ?? {}) as Partial<OfGeneration>;
  const version = job.apiVersion?.slice(job.apiVersion.lastIndexOf('/') + 1);
  const known = [apiGeneration, version].flatMap((name) => MPI_GENERATIONS.find((each) => each === name) ?? []);
  return known[0] ?? MPI_GENERATIONS[0];
}

/** `spec.apiGeneration` in the version `version`. */
export function apiGenerationSchema(version: MPIGeneration) {
  const marker = withRules(z.enum(MPI_GENERATIONS), [
    {
      cel: 'self == oldSelf',
      message: 'field is immutable: to change the version of the API, delete the job and create it again',
    },
  ]);
  return marker
    .default(version)
    .describe(
      'API version whose rules the job follows. The API server sets it to the version that the job is created ' +
        'in; leave it out. Cannot be changed.',
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
