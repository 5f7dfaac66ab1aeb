/** Work queues, by controller-runtime's names, labels and buckets (pkg/internal/metrics/workqueue.go). */
import type { MetricSet } from '../declaration.ts';

const LED = 'The process has led, or runs without leader election.';

const LABELS = ['name', 'controller'] as const;

/** 10 ns to 1000 s: controller-runtime's, and from 1 ms on finer ones, because a quantile is no more exact than its bucket. */
const BUCKETS = Array.from({ length: 12 }, (_, power) => power - 8).flatMap((power) =>
  (power < -3 || power === 3 ? [1] : [1, 2.5, 5]).map((digits) => Number(`${digits}e${power}`)),
);

export const WORK_QUEUE = {
  depth: {
    type: 'gauge',
    name: 'workqueue_depth',
    labels: [...LABELS, 'priority'],
    help: 'Current depth of the work queue by priority.',
    unit: 'count',
    values: { priority: { '0': 'All keys are equal.' } },
    appears: LED,
  },
  adds: {
    type: 'counter',
    name: 'workqueue_adds_total',
    labels: LABELS,
    help: 'Total number of adds handled by the work queue.',
    unit: 'count',
    appears: LED,
  },
  retries: {
    type: 'counter',
    name: 'workqueue_retries_total',
    labels: LABELS,
    help: 'Total number of retries handled by the work queue.',
    unit: 'count',
    appears: LED,
  },
  waited: {
    type: 'histogram',
    name: 'workqueue_queue_duration_seconds',
    labels: LABELS,
    help: 'How long a key stays in the work queue before it is taken.',
    unit: 'seconds',
    buckets: BUCKETS,
    appears: 'A job was reconciled.',
  },
  worked: {
    type: 'histogram',
    name: 'workqueue_work_duration_seconds',
    labels: LABELS,
    help: 'How long processing a key from the work queue takes.',
    unit: 'seconds',
    buckets: BUCKETS,
    appears: 'A job was reconciled.',
  },
  unfinished: {
    type: 'gauge',
    name: 'workqueue_unfinished_work_seconds',
    labels: LABELS,
    help: 'Seconds of work that is in progress and not yet counted by work_duration; large values mean stuck work.',
    unit: 'seconds',
    appears: LED,
  },
  longestRunning: {
    type: 'gauge',
    name: 'workqueue_longest_running_processor_seconds',
    labels: LABELS,
    help: 'For how many seconds the longest running processor of the work queue has been running.',
    unit: 'seconds',
    appears: LED,
  },
} as const satisfies MetricSet;
