/** Decides nothing: answers that require another plan, such as a name conflict, are remembered for the next run. */
import type { JobManifest } from '../model/training-job.ts';
import { batchesOf } from './write-order.ts';
import { ReconcileRun, type RefusedWrite, type Dependencies } from './reconcile-run.ts';
import { applyWrite } from './apply-write.ts';
import type { Plan } from './plan.ts';
import { slowStart } from './slow-start.ts';
import { writeStatus } from './write-job.ts';

/**
 * Throws the first failure that may be temporary. An answer, or a change of the job, may require a new plan at once.
 */
export async function execute(
  dependencies: Dependencies,
  manifest: JobManifest,
  plan: Plan,
  signal: AbortSignal,
): Promise<{ readonly againAfterMs: number | undefined; readonly refused: readonly RefusedWrite[] }> {
  const run = new ReconcileRun(dependencies, manifest, signal, plan.validForMs);
  dependencies.memory.keepWriteFailures(run.key, run.uid, plan.pendingWrites);
  const mayGoOn = () => run.mayGoOn();
  let refused: readonly RefusedWrite[] = [];
  try {
    if (plan.status !== undefined && mayGoOn()) await writeStatus(run, plan.status);
    // Emitted even if the job has changed since, because the status was written.
    for (const event of plan.events) if (!run.isOver) run.emit(event);
    for (const batch of batchesOf(plan.writes)) {
      await slowStart(batch, mayGoOn, (write) => applyWrite(run, write));
    }
  } finally {
    run.emitNoted();
    refused = run.rememberRefused();
  }
  return { againAfterMs: run.againAfterMs, refused };
}
