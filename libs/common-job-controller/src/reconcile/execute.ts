/**
 * Does what a plan says, in the plan's order, and decides nothing: answers that change what should be done (a name that
 * is taken, a template that is refused) are remembered for the next pass to plan with.
 */
import type { JobManifest } from '../model/training-job.ts';
import { batchesOf } from './operation-order.ts';
import { Pass, type RefusedWrite, type Tools } from './pass.ts';
import { perform } from './perform.ts';
import type { Plan } from './plan.ts';
import { slowStart } from './slow-start.ts';

/** How a pass has ended. */
export interface PassEnd {
  /** Whether an answer, or a change of the job meanwhile, calls for a new plan at once. */
  readonly needsNewPlan: boolean;
  /** What was refused for the first time: people are to hear of it. */
  readonly refused: readonly RefusedWrite[];
}

/**
 * Throws the first write that failed for a reason that may pass; all that was done until then is accounted for.
 */
export async function execute(tools: Tools, manifest: JobManifest, plan: Plan, signal: AbortSignal): Promise<PassEnd> {
  const pass = new Pass(tools, manifest, signal, plan.validForMs);
  pass.remember(plan);
  let refused: PassEnd['refused'] = [];
  try {
    for (const batch of batchesOf(plan.operations)) {
      // Events tell of the status that is written: a change of the job since then takes none of them back.
      const mayGoOn = () => (batch[0].op === 'event' ? !pass.isOver : pass.mayGoOn());
      await slowStart(batch, mayGoOn, (operation) => perform(pass, operation));
    }
  } finally {
    pass.emitAll();
    refused = pass.rememberRefused();
  }
  return { needsNewPlan: pass.needsNewPlan || pass.needsAnotherPass, refused };
}
