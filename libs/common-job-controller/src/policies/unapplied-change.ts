/** Detects invalid changes of a running job's spec. `reconcile/decide-unapplied.ts` handles them. */
import { isFinished } from '@muster/job-api';
import type { FrameworkAdapter, Outcome } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { UNAPPLIED } from '../model/conditions.ts';
import { formatProblems, hasJobRun, manifestProblems } from './invalid-spec.ts';
import { generationOf } from '../model/job-identity.ts';
import { isSizeKnown } from '../replicas/role-size.ts';
import type { World } from '../world/world.ts';

export function whyUnapplied(adapter: FrameworkAdapter, { manifest }: World, read: TrainingJob): string | undefined {
  const { status, roles, runPolicy } = read;
  if (runPolicy.suspend || isFinished(status) || !hasJobRun(status)) return undefined;
  const { observedGeneration: seen = generationOf(manifest) } = status;
  // A generation that was applied stays applied, even if newer rules reject it.
  if (seen >= generationOf(manifest) && roles.every(isSizeKnown)) return undefined;
  const problems = manifestProblems(adapter, manifest);
  return problems.length > 0 ? formatProblems(problems) : undefined;
}

export function unappliedMessage(why: string): string {
  return `${UNAPPLIED}. The job continues unchanged, without new pods, until the spec is corrected: ${why}`;
}

export function withUnapplied(outcome: Outcome, why: string | undefined): Outcome {
  return why !== undefined && outcome.phase === 'Running' ? { ...outcome, message: unappliedMessage(why) } : outcome;
}
