/** One pass over one job: observe, plan, execute. */
import type { Clock, Reconcile } from '@muster/controller';
import type { FrameworkAdapter } from './adapter.ts';
import { execute } from './execute.ts';
import { observe } from './observe.ts';
import type { Tools } from './pass.ts';
import { planJob } from './plan-job.ts';
import type { PlanSettings } from './world.ts';

/** Long enough that answers which never settle cannot keep the operator busy. */
const NEW_PLAN_AFTER_MS = 100;

export function jobReconciler(
  adapter: FrameworkAdapter,
  tools: Tools,
  settings: PlanSettings,
  clock: Clock,
): Reconcile {
  return async (job, { signal }) => {
    const uid = tools.caches.jobs.get(job)?.metadata?.uid ?? '';
    const world = observe(tools.caches, job, tools.memory.recall(job, uid), clock.now());
    if (world === undefined) {
      tools.memory.forget(job);
      tools.expectations.forget(job);
      return;
    }
    const remainingMs = tools.expectations.remainingMs(job, uid);
    if (remainingMs > 0) return { requeueAfterMs: remainingMs };

    const plan = planJob(adapter, world, settings);
    const { needsNewPlan } = await execute(tools, world.manifest, plan, signal);
    if (needsNewPlan) return { requeueAfterMs: NEW_PLAN_AFTER_MS };
    return plan.requeueAfterMs === undefined ? undefined : { requeueAfterMs: plan.requeueAfterMs };
  };
}
