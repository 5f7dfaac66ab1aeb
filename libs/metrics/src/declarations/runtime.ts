/** Reconciling, by controller-runtime's names, labels and buckets (pkg/internal/controller/metrics/metrics.go). */
import type { MetricSet } from '../declaration.ts';

const LED = 'The process has been the leader, or leader election is off.';

const RESULTS = {
  success: 'Nothing is left to do.',
  error: 'Retried after a back-off; after a terminal error, when the job changes.',
  requeue: 'Repeated at once: another client wrote first, or the operator is stopping.',
  requeue_after: 'Repeated at a known time.',
};

export const RUNTIME = {
  reconciles: {
    type: 'counter',
    name: 'controller_runtime_reconcile_total',
    labels: ['controller', 'result'],
    help: 'Total number of reconciliations per controller.',
    unit: 'count',
    values: { result: RESULTS },
    appears: LED,
  },
  errors: {
    type: 'counter',
    name: 'controller_runtime_reconcile_errors_total',
    labels: ['controller'],
    help: 'Total number of reconciliation errors per controller.',
    unit: 'count',
    appears: LED,
  },
  terminalErrors: {
    type: 'counter',
    name: 'controller_runtime_terminal_reconcile_errors_total',
    labels: ['controller'],
    help: 'Total number of reconciliation errors per controller that are not retried until the job changes.',
    unit: 'count',
    appears: LED,
  },
  panics: {
    type: 'counter',
    name: 'controller_runtime_reconcile_panics_total',
    labels: ['controller'],
    help: 'Total number of reconciliations per controller that failed with a defect: the job could not be planned.',
    unit: 'count',
    appears: LED,
  },
  time: {
    type: 'histogram',
    name: 'controller_runtime_reconcile_time_seconds',
    labels: ['controller'],
    help: 'Length of time per reconciliation per controller.',
    unit: 'seconds',
    buckets: [
      0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75,
      2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
    ],
    appears: 'A job was reconciled.',
  },
  maxConcurrent: {
    type: 'gauge',
    name: 'controller_runtime_max_concurrent_reconciles',
    labels: ['controller'],
    help: 'Maximum number of concurrent reconciles per controller.',
    unit: 'count',
    appears: LED,
  },
  activeWorkers: {
    type: 'gauge',
    name: 'controller_runtime_active_workers',
    labels: ['controller'],
    help: 'Number of currently used workers per controller.',
    unit: 'count',
    appears: LED,
  },
} as const satisfies MetricSet;
