/**
 * The `controller_runtime_*` metrics under the names, labels and buckets of controller-runtime. One set per registry.
 *
 * Two of its metrics are missing on purpose: `reconcile_panics_total` (here a bug throws like any other failure, and is
 * counted as one) and `reconcile_timeouts_total` (a reconcile has no time limit of its own; its requests have).
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export type ReconcileOutcome = 'success' | 'error' | 'requeue' | 'requeue_after';

const OUTCOMES: ReconcileOutcome[] = ['success', 'error', 'requeue', 'requeue_after'];

/** What one controller counts. */
export interface ControllerMetrics {
  ended(outcome: ReconcileOutcome, seconds: number): void;
  failedForGood(): void;
  workerBusy(): void;
  workerIdle(): void;
}

const LABELS = ['controller'] as const;
const BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

function createMetrics(registry: Registry) {
  const shared = { labelNames: LABELS, registers: [registry] };
  return {
    total: new Counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Total number of reconciliations per controller',
      labelNames: [...LABELS, 'result'] as const,
      registers: [registry],
    }),
    errors: new Counter({
      ...shared,
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Total number of reconciliation errors per controller',
    }),
    terminalErrors: new Counter({
      ...shared,
      name: 'controller_runtime_terminal_reconcile_errors_total',
      help: 'Total number of terminal reconciliation errors per controller',
    }),
    time: new Histogram({
      ...shared,
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Length of time per reconciliation per controller',
      buckets: BUCKETS,
    }),
    maxConcurrent: new Gauge({
      ...shared,
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Maximum number of concurrent reconciles per controller',
    }),
    activeWorkers: new Gauge({
      ...shared,
      name: 'controller_runtime_active_workers',
      help: 'Number of currently used workers per controller',
    }),
  };
}

const metricsByRegistry = new WeakMap<Registry, ReturnType<typeof createMetrics>>();

/** The metrics of one controller. Every series exists from the start, so that a rate sees the first event. */
export function controllerMetrics(registry: Registry, controller: string, workers: number): ControllerMetrics {
  let metrics = metricsByRegistry.get(registry);
  if (metrics === undefined) {
    metrics = createMetrics(registry);
    metricsByRegistry.set(registry, metrics);
  }
  const { total, errors, terminalErrors, time, maxConcurrent, activeWorkers } = metrics;
  for (const result of OUTCOMES) total.inc({ controller, result }, 0);
  errors.inc({ controller }, 0);
  terminalErrors.inc({ controller }, 0);
  maxConcurrent.set({ controller }, workers);
  activeWorkers.set({ controller }, 0);
  return {
    ended(outcome, seconds) {
      total.inc({ controller, result: outcome });
      time.observe({ controller }, seconds);
      if (outcome === 'error') errors.inc({ controller });
    },
    failedForGood: () => terminalErrors.inc({ controller }),
    workerBusy: () => activeWorkers.inc({ controller }),
    workerIdle: () => activeWorkers.dec({ controller }),
  };
}
