/** Work queues, by controller-runtime's names, labels and buckets (pkg/internal/metrics/workqueue.go). */
import type { MetricSet } from '../declaration.ts';

const LED = 'The process has been the leader, or leader election is off.';

const LABELS = ['name', 'controller'] as const;

/** 10 ns to 1000 s: controller-runtime's buckets, with finer ones from 1 ms, because a quantile is as exact as its bucket. */
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
    values: { priority: { '0': 'All keys have the same priority.' } },
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
    help: 'Time that a key waits in the work queue.',
    unit: 'seconds',
    buckets: BUCKETS,
    appears: 'A job was reconciled.',
  },
  worked: {
    type: 'histogram',
    name: 'workqueue_work_duration_seconds',
    labels: LABELS,
    help: 'Time that processing a key from the work queue takes.',
    unit: 'seconds',
    buckets: BUCKETS,
    appears: 'A job was reconciled.',
  },
  unfinished: {
    type: 'gauge',
    name: 'workqueue_unfinished_work_seconds',
    labels: LABELS,
    help: 'Seconds of work in progress that work_duration does not include yet. Large values mean stuck work.',
    unit: 'seconds',
    appears: LED,
  },
  longestRunning: {
    type: 'gauge',
    name: 'workqueue_longest_running_processor_seconds',
    labels: LABELS,
    help: 'Seconds for which the longest running processor of the work queue has been running.',
    unit: 'seconds',
    appears: LED,
  },
} as const satisfies MetricSet;
