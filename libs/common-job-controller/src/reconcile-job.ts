/** One pass over one job: observe, plan, execute. */
import type { Clock, Reconcile } from '@muster/controller';
import type { FrameworkAdapter } from './adapter.ts';
import { execute, type Tools } from './execute.ts';
import { observe } from './observe.ts';
import { planJob } from './plan-job.ts';
import type { PlanSettings } from './world.ts';

export function jobReconciler(
  adapter: FrameworkAdapter,
  tools: Tools,
  settings: PlanSettings,
  clock: Clock,
): Reconcile {
  return async (job) => {
    const world = observe(tools.caches, job, tools.memory.recall(job), clock.now());
    if (world === undefined) {
      tools.memory.forget(job);
      tools.expectations.forget(job);
      return;
    }
    const remainingMs = tools.expectations.remainingMs(job);
    if (remainingMs > 0) return { requeueAfterMs: remainingMs };

    const plan = planJob(adapter, world, settings);
    const { needsNewPlan } = await execute(tools, world.manifest, plan);
    if (needsNewPlan) return { requeueAfterMs: 1 };
    return plan.requeueAfterMs === undefined ? undefined : { requeueAfterMs: plan.requeueAfterMs };
  };
}
