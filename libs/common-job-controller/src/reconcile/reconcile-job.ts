/** One pass over one job: observe, plan, execute. */
import { TerminalError, type Clock, type Reconcile } from '@muster/controller';
import type { EventReason } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { isManagedElsewhere, statusOf } from '../contract/read-manifest.ts';
import type { Question } from '../facts/fact.ts';
import { isFinished } from '../status/conditions.ts';
import { recorded } from '../status/own-status.ts';
import { earliest, FAILURES_COME_WITHIN_MS } from '../model/requeue.ts';
import { writeKey } from './write-failures.ts';
import { execute } from './execute.ts';
import { observe } from './observe.ts';
import type { Tools } from './pass.ts';
import { writesOf } from '../model/write.ts';
import type { Plan } from './plan.ts';
import { planOrFailure } from './planning-failure.ts';
import type { PlanSettings, World } from './world.ts';

/** Long enough that answers which never settle cannot keep the operator busy. */
const NEW_PLAN_AFTER_MS = 100;

/** Jobs of fewer pods are planned quickly, and looked at at once. */
const MANY_PODS = 200;

/**
 * What comes after a plan that had nothing to do has seldom more: a job's pods start and end in a crowd. The Job controller of Kubernetes
 * waits five times as long (pkg/controller/job, syncJobBatchPeriod).
 */
const REST_AFTER_NOTHING_MS = 200;

/** Nobody waits longer than that for what he asks of a job, however large it is. */
const LONGEST_REST_MS = 1000;

export function jobReconciler(
  adapter: FrameworkAdapter,
  tools: Tools,
  settings: PlanSettings,
  clock: Clock,
): Reconcile {
  return async (job, { signal, log }) => {
    const cached = tools.caches.jobs.get(job);
    const { uid = '' } = cached?.metadata ?? {};
    const remainingMs = tools.expectations.remainingMs(job, uid);
    if (remainingMs > 0) return { requeueAfterMs: remainingMs };

    const known = {
      ...tools.memory.recall(job, uid, () => (cached ? statusOf(adapter, recorded(adapter, cached)) : {})),
      facts: tools.facts.recall(job, uid),
      nowMs: clock.now(),
      ageStates: (states: readonly string[]) => tools.memory.ageStates(job, uid, states),
    };
    const begunMs = clock.monotonic();
    const world = observe(adapter, tools.caches, job, known);
    if (world === undefined) {
      tools.memory.forget(job);
      tools.facts.forget(job);
      tools.expectations.forget(job);
      return;
    }

    tools.metrics.begin(world.manifest.metadata?.namespace ?? '');
    const { plan, panicked, defect } = planned(adapter, world, settings);
    const questions = [...questionsOf(adapter, world), ...(plan.questions ?? [])];
    const calls = writesOf(plan, 'call').map(({ question }) => question);
    const requeueAfterMs = earliest(plan.requeueAfterMs, tools.facts.refresh(job, uid, questions, calls));
    const plannedMs = clock.monotonic();
    tools.record?.({ adapter, settings, world, plan });
    const later = () => ({
      ...{ panicked, restMs: restMs(world, plan, plannedMs - begunMs, clock.monotonic() - plannedMs) },
      ...(requeueAfterMs !== undefined && { requeueAfterMs }),
    });
    try {
      const { needsNewPlan, refused } = await execute(tools, world.manifest, plan, signal);
      for (const write of refused) {
        log.warn('a write for the job is refused for now', { write: writeKey(write), error: write.message });
      }
      if (defect !== undefined) return { error: defect, ...later() };
      return needsNewPlan ? { ...later(), requeueAfterMs: NEW_PLAN_AFTER_MS } : later();
    } catch (error) {
      // A write that fails again and again must not make a deadline late that the plan knew of.
      return { error, ...later() };
    }
  };
}

/**
 * The plan of a job of thousands of pods takes long, and each of them changes several times. So plans of one job take a tenth of the time at
 * most: what changes meanwhile is planned together. So is what changes soon after a plan without operations, or after a restart.
 * @param sincePlanMs for how long the plan has been carried out
 */
function restMs({ pods }: World, plan: Plan, planMs: number, sincePlanMs: number): number {
  const leastMs = restAfterMs(plan);
  if (pods.length < MANY_PODS) return leastMs;
  return Math.max(leastMs, Math.min(LONGEST_REST_MS, planMs * 9) - sincePlanMs);
}

function restAfterMs(plan: Plan): number {
  if (plan.status === undefined && plan.events.length + plan.writes.length === 0) return REST_AFTER_NOTHING_MS;
  const isRestart = plan.status?.counters.includes('restarted') === true;
  return isRestart ? FAILURES_COME_WITHIN_MS : 0;
}

/** Of a job that has ended, or is run by somebody else, nothing is asked. */
function questionsOf(adapter: FrameworkAdapter, world: World): readonly Question[] {
  if (adapter.facts === undefined || isManagedElsewhere(adapter, world.manifest)) return [];
  return isFinished(statusOf(adapter, world.manifest)) ? [] : adapter.facts.questions(world.manifest, world);
}

/** The plan, also where planning throws: that is logged and counted as a failure once, with the event that tells of it; as a panic, each time. */
function planned(
  adapter: FrameworkAdapter,
  world: World,
  settings: PlanSettings,
): { readonly plan: Plan; readonly panicked: boolean; readonly defect?: TerminalError } {
  const { plan, thrown } = planOrFailure(adapter, world, settings);
  if (thrown === undefined) return { plan, panicked: false };
  const isNews = plan.events.some(({ reason }) => reason === ('PlanningFailed' satisfies EventReason));
  const defect = new TerminalError('planning threw', { cause: thrown.error });
  return { plan, panicked: true, ...(isNews && { defect }) };
}
