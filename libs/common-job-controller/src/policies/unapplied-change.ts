/** A change of a job that runs, to what cannot be run. `reconcile/decide-unapplied.ts` says what follows. */
import type { FrameworkAdapter, Outcome } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { isFinished, UNAPPLIED } from '../model/conditions.ts';
import { hasEverRun, wordsOf } from './invalid-spec.ts';
import { manifestProblems } from './manifest-problems.ts';
import { generationOf } from '../model/job-identity.ts';
import { isSizeKnown } from '../replicas/role-size.ts';
import type { World } from '../world/world.ts';

/** Why the manifest is not to be followed; `read` is the job as it says. */
export function whyUnapplied(adapter: FrameworkAdapter, { manifest }: World, read: TrainingJob): string | undefined {
  const { status, roles, runPolicy } = read;
  if (runPolicy.suspend || isFinished(status) || !hasEverRun(status)) return undefined;
  const { observedGeneration: seen = generationOf(manifest) } = status;
  // What has been followed before is so again: a rule that came later holds nothing back.
  if (seen >= generationOf(manifest) && roles.every(isSizeKnown)) return undefined;
  const problems = manifestProblems(adapter, manifest);
  return problems.length > 0 ? wordsOf(problems) : undefined;
}

export function unappliedMessage(why: string): string {
  return `${UNAPPLIED}, and the job goes on as it was, without new pods, until it is corrected: ${why}`;
}

/** The outcome of a job that runs reports the change that is not applied. */
export function withUnapplied(outcome: Outcome, why: string | undefined): Outcome {
  return why !== undefined && outcome.phase === 'Running' ? { ...outcome, message: unappliedMessage(why) } : outcome;
}
