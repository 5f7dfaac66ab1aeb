/**
 * Does what a plan says, in the plan's order, and decides nothing: answers that change what should be done (a name that
 * is taken, a template that is refused) are remembered for the next run to plan with.
 */
import type { JobManifest } from '../model/training-job.ts';
import { batchesOf } from './write-order.ts';
import { ReconcileRun, type RefusedWrite, type Dependencies } from './reconcile-run.ts';
import { applyWrite } from './apply-write.ts';
import type { Plan } from './plan.ts';
import { slowStart } from './slow-start.ts';
import { emitEvent, writeStatus } from './write-job.ts';

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
export async function execute(
  tools: Dependencies,
  manifest: JobManifest,
  plan: Plan,
  signal: AbortSignal,
): Promise<PassEnd> {
  const pass = new ReconcileRun(tools, manifest, signal, plan.validForMs);
  pass.remember(plan);
  let refused: PassEnd['refused'] = [];
  try {
    if (plan.status !== undefined && pass.mayGoOn()) await writeStatus(pass, plan.status);
    // Events report the status that is written: a change of the job since then takes none of them back.
    for (const event of plan.events) if (!pass.isOver) emitEvent(pass, event);
    for (const batch of batchesOf(plan.writes)) {
      await slowStart(
        batch,
        () => pass.mayGoOn(),
        (write) => applyWrite(pass, write),
      );
    }
  } finally {
    pass.emitAll();
    refused = pass.rememberRefused();
  }
  return { needsNewPlan: pass.needsNewPlan || pass.needsAnotherPass, refused };
}
