/**
 * A job that runs and is changed to what cannot be run goes on as it was: nothing is made, changed or deleted for it until the
 * change is corrected. What becomes of its pods is followed all the same. The change counts as not seen
 * (`status.observedGeneration`), so that an operator that starts anew holds it, too.
 */
import type { EventReason } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { isFinished } from '../status/conditions.ts';
import { hasEverRun, UNAPPLIED, wordsOf } from './invalid-spec.ts';
import { manifestProblems } from './manifest-problems.ts';
import { generationOf } from '../model/job-identity.ts';
import { planActive } from '../reconcile/plan-active.ts';
import type { JobPassContext } from '../reconcile/pass-context.ts';
import { NO_CHANGE, type Decision } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import { isSizeKnown } from '../model/role-size.ts';
import type { World } from '../reconcile/world.ts';

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

/** @param why the manifest is not followed */
export function planUnapplied(context: JobPassContext, why: string): Decision {
  const { adapter, job, world } = context;
  const { manifest, told } = world;
  const { observedGeneration: generation = generationOf(manifest) } = job.status;
  const unseen = { ...world, manifest: { ...manifest, metadata: { ...manifest.metadata, generation } } };
  const decision = planActive({ ...context, adapter: telling(adapter, why), world: unseen });
  const reason = 'InvalidChange' satisfies EventReason;
  const once = `${reason} ${generationOf(manifest)}`;
  const event: PlannedEvent = { type: 'Warning', reason, note: noteOf(why), action: 'Validate', once };
  const events = [...decision.events, ...(told.has(once) ? [] : [event])];
  const { status, requeueAfterMs } = decision;
  if (status !== undefined && isFinished(status.after)) return { ...decision, events };
  return { ...NO_CHANGE, ...(status && { status }), events, requeueAfterMs };
}

function noteOf(why: string): string {
  return `${UNAPPLIED}, and the job goes on as it was, without new pods, until it is corrected: ${why}`;
}

function telling(adapter: FrameworkAdapter, why: string): FrameworkAdapter {
  return {
    ...adapter,
    outcome(job, tallies, context) {
      const outcome = adapter.outcome(job, tallies, context);
      return outcome.phase === 'Running' ? { ...outcome, message: noteOf(why) } : outcome;
    },
  };
}
