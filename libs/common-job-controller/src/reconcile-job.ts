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
  return async (job, { signal, log }) => {
    const uid = tools.caches.jobs.get(job)?.metadata?.uid ?? '';
    const remainingMs = tools.expectations.remainingMs(job, uid);
    if (remainingMs > 0) return { requeueAfterMs: remainingMs };

    const world = observe(tools.caches, job, tools.memory.recall(job, uid), clock.now());
    if (world === undefined) {
      tools.memory.forget(job);
      tools.expectations.forget(job);
      return;
    }

    const plan = planJob(adapter, world, settings);
    const later = plan.requeueAfterMs === undefined ? {} : { requeueAfterMs: plan.requeueAfterMs };
    try {
      const { needsNewPlan, notMade } = await execute(tools, world.manifest, plan, signal);
      for (const { kind, message } of notMade) {
        log.warn('an object of the job cannot be made for now', { kind, error: message });
      }
      return needsNewPlan ? { requeueAfterMs: NEW_PLAN_AFTER_MS } : later;
    } catch (error) {
      // A write that fails again and again must not make a deadline late that the plan knew of.
      return { error, ...later };
    }
  };
}
