import { isFinished } from '@muster/job-api';
import { TerminalError, type Clock, type Reconcile } from '@muster/controller';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { isManagedElsewhere, statusOf } from '../contract/read-manifest.ts';
import type { Probe } from '@muster/probes';
import { earliest } from '../model/requeue.ts';
import { lacksPods } from './unseen-pods.ts';
import { writeKey } from './write-failures.ts';
import { execute } from './execute.ts';
import { observe } from './observe.ts';
import type { Dependencies } from './reconcile-run.ts';
import { writesOf } from '../model/write.ts';
import { PLANNING_FAILED, planOrFailure } from './planning-failure.ts';
import type { PlanSettings, World } from '../world/world.ts';

/** Until the watch has delivered the pods. */
const UNSEEN_PODS_RETRY_MS = 2000;

export function jobReconciler(
  adapter: FrameworkAdapter,
  dependencies: Dependencies,
  settings: PlanSettings,
  clock: Clock,
): Reconcile {
  return async (job, { signal, log }) => {
    const cached = dependencies.caches.jobs.get(job);
    const { uid = '' } = cached?.metadata ?? {};
    const remainingMs = dependencies.expectations.remainingMs(job, uid);
    if (remainingMs > 0) return { requeueAfterMs: remainingMs };

    const observedMs = clock.monotonic();
    const known = {
      ...dependencies.memory.recall(job, uid),
      probeResults: dependencies.poller.resultsOf(job, uid),
      nowMs: clock.now(),
      ageStates: (states: readonly string[]) => dependencies.memory.ageStates(job, uid, states),
    };
    const world = observe(adapter, dependencies.caches, job, known);
    if (world === undefined) {
      dependencies.memory.forget(job);
      dependencies.poller.forget(job);
      dependencies.expectations.forget(job);
      return;
    }

    dependencies.metrics.begin(world.manifest.metadata?.namespace ?? '');
    const { plan, thrown } = planOrFailure(adapter, world, settings);
    if (plan.needsAllPods === true && (await lacksPods(dependencies, adapter, world, signal)))
      return { requeueAfterMs: UNSEEN_PODS_RETRY_MS };
    const probes = [...probesOf(adapter, world), ...(plan.probes ?? [])];
    const calls = writesOf(plan, 'call').map(({ probe }) => probe);
    const requeueAfterMs = earliest(plan.requeueAfterMs, dependencies.poller.poll(job, uid, probes, calls));
    dependencies.record?.({ adapter, settings, world, plan });
    // Counted from the observation, so that slow writes do not delay what is due.
    const later = () => ({
      panicked: thrown !== undefined,
      ...(requeueAfterMs !== undefined && {
        requeueAfterMs: Math.max(0, requeueAfterMs - (clock.monotonic() - observedMs)),
      }),
    });
    try {
      const { againAfterMs, refused } = await execute(dependencies, world.manifest, plan, signal);
      for (const write of refused) {
        const fields = { write: writeKey(write), error: write.message };
        log.warn('a write for the job was refused and will be retried', fields);
      }
      // Each throw counts as a panic, but is logged and counted as a failure only with its event.
      if (thrown !== undefined && plan.events.some(({ reason }) => reason === PLANNING_FAILED)) {
        return { error: new TerminalError('planning threw', { cause: thrown.error }), ...later() };
      }
      return againAfterMs === undefined ? later() : { ...later(), requeueAfterMs: againAfterMs };
    } catch (error) {
      // Keeps the planned deadline even if a write fails repeatedly.
      return { error, ...later() };
    }
  };
}

function probesOf(adapter: FrameworkAdapter, world: World): readonly Probe[] {
  if (adapter.probes === undefined || isManagedElsewhere(adapter, world.manifest)) return [];
  return isFinished(statusOf(adapter, world.manifest)) ? [] : adapter.probes.polled(world.manifest, world);
}
