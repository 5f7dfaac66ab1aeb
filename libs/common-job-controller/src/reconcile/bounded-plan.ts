/**
 * Keeps a reconcile run short: for a job of thousands of pods it writes a bounded number of objects, and the next run, which
 * follows at once, goes on with the job as it is by then.
 */
import type { Write } from '../model/write.ts';
import type { Plan } from './plan.ts';

/** As many as the Job controller of Kubernetes makes or deletes in a sync (pkg/controller/job, MaxPodCreateDeletePerSync). */
export const WRITES_PER_PASS = 500;

/** `plan` with the first `most` of the writes that a job may have thousands of. */
export function boundedPlan(plan: Plan, most: number): Plan {
  if (plan.writes.filter(isCounted).length <= most) return plan;
  let left = most;
  return { ...plan, writes: plan.writes.filter((each) => !isCounted(each) || left-- > 0), requeueAfterMs: 0 };
}

/** Writes to pods and Services, except forced deletions: a pod that is deleted by force has been waited for long enough. */
function isCounted(write: Write): boolean {
  if (!('resource' in write) || write.op === 'ensure' || write.op === 'forceDelete') return false;
  return write.isOwnedResource !== true;
}
