/**
 * Keeps a pass short: of a job of thousands of pods it writes a bounded number of objects, and the next pass, which
 * follows at once, goes on with the job as it is by then.
 */
import type { Plan } from './plan.ts';

/** As many as the Job controller of Kubernetes makes or deletes in a sync (pkg/controller/job, MaxPodCreateDeletePerSync). */
export const WRITES_PER_PASS = 500;

/** The first `writes` of the pods and Services that `plan` writes, in the order in which they are written. */
export function boundedPlan(plan: Plan, writes: number): Plan {
  const { adopt, release, remove, create, annotate } = plan;
  const lists = [adopt.pods, adopt.services, release, remove.pods, remove.services];
  const count = [...lists, create.services, create.pods, annotate].reduce((sum, { length }) => sum + length, 0);
  if (count <= writes) return plan;
  let left = writes;
  const take = <T>(items: readonly T[]): readonly T[] => {
    const taken = items.slice(0, left);
    left -= taken.length;
    return taken;
  };
  return {
    ...plan,
    adopt: { pods: take(adopt.pods), services: take(adopt.services) },
    release: take(release),
    remove: { pods: take(remove.pods), services: take(remove.services) },
    create: { services: take(create.services), pods: take(create.pods) },
    annotate: take(annotate),
    requeueAfterMs: 0,
  };
}
