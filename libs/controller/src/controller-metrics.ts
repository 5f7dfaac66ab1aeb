/** controller-runtime's `reconcile_timeouts_total` is left out: a reconcile has no time limit, its requests have. */
import { RUNTIME, counter, gauge, histogram, type ValueOf } from '@muster/metrics';
import type { Registry } from 'prom-client';

export type ReconcileOutcome = ValueOf<typeof RUNTIME.reconciles, 'result'>;

const OUTCOMES = Object.keys(RUNTIME.reconciles.values.result) as ReconcileOutcome[];

export interface ControllerMetrics {
  ended(outcome: ReconcileOutcome, seconds: number): void;
  failedForGood(): void;
  panicked(): void;
  workerBusy(): void;
  workerIdle(): void;
}

/** Every series exists from the start, so that a rate includes the first event. */
export function controllerMetrics(registry: Registry, controller: string, workers: number): ControllerMetrics {
  const total = counter(registry, RUNTIME.reconciles);
  const errors = counter(registry, RUNTIME.errors);
  const terminalErrors = counter(registry, RUNTIME.terminalErrors);
  const panics = counter(registry, RUNTIME.panics);
  const time = histogram(registry, RUNTIME.time);
  const activeWorkers = gauge(registry, RUNTIME.activeWorkers);
  for (const result of OUTCOMES) total.inc({ controller, result }, 0);
  for (const each of [errors, terminalErrors, panics]) each.inc({ controller }, 0);
  gauge(registry, RUNTIME.maxConcurrent).set({ controller }, workers);
  activeWorkers.set({ controller }, 0);
  return {
    ended(outcome, seconds) {
      total.inc({ controller, result: outcome });
      time.observe({ controller }, seconds);
      if (outcome === 'error') errors.inc({ controller });
    },
    failedForGood: () => terminalErrors.inc({ controller }),
    panicked: () => panics.inc({ controller }),
    workerBusy: () => activeWorkers.inc({ controller }),
    workerIdle: () => activeWorkers.dec({ controller }),
  };
}
