/** The next run follows at once and continues with the job's new state. */
import type { Write } from '../model/write.ts';
import type { Plan } from './plan.ts';

/** The limit of Kubernetes' Job controller per sync (pkg/controller/job, MaxPodCreateDeletePerSync). */
export const WRITES_PER_RUN = 500;

export function boundedPlan(plan: Plan, most: number): Plan {
  if (plan.writes.filter(isCounted).length <= most) return plan;
  let left = most;
  return { ...plan, writes: plan.writes.filter((each) => !isCounted(each) || left-- > 0), requeueAfterMs: 0 };
}

/** Only pods and Services. Forced deletions already waited for their timeout. */
function isCounted(write: Write): boolean {
  if (!('resource' in write) || write.op === 'ensure' || write.op === 'forceDelete') return false;
  return write.isOwnedResource !== true;
}
