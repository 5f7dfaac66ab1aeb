/**
 * Keeps a pass short: of a job of thousands of pods it writes a bounded number of objects, and the next pass, which
 * follows at once, goes on with the job as it is by then.
 */
import type { Operation, Plan } from './plan.ts';

/** As many as the Job controller of Kubernetes makes or deletes in a sync (pkg/controller/job, MaxPodCreateDeletePerSync). */
export const WRITES_PER_PASS = 500;

/** `plan` with the first `writes` of the operations that a job may have thousands of. */
export function boundedPlan(plan: Plan, writes: number): Plan {
  if (plan.operations.filter(isCounted).length <= writes) return plan;
  let left = writes;
  return { ...plan, operations: plan.operations.filter((each) => !isCounted(each) || left-- > 0), requeueAfterMs: 0 };
}

/** Writes to pods and Services, but for forced deletions: a pod that is deleted by force has been waited for long enough. */
function isCounted(operation: Operation): boolean {
  if (!('resource' in operation) || operation.op === 'ensure' || operation.op === 'forceDelete') return false;
  return operation.isOwnedResource !== true;
}
