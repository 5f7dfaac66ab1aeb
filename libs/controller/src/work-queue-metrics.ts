/**
 * The `workqueue_*` metrics under the names, labels and buckets of controller-runtime, so that its dashboards and
 * alerts fit. One set per registry, shared by all queues that report there.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What a queue tells at scrape time. */
export interface QueueGauges {
  depth: number;
  /** Seconds for which each key being processed has been so. */
  processingSeconds: number[];
}

/** What one queue counts. */
export interface QueueMetrics {
  added(): void;
  retried(): void;
  waited(seconds: number): void;
  worked(seconds: number): void;
}

const LABELS = ['name', 'controller'] as const;
/** All keys are equal; 0 is what controller-runtime's queue reports for a key without a priority of its own. */
const PRIORITY = '0';
/** 10 ns to 1000 s. */
const BUCKETS = Array.from({ length: 12 }, (_, power) => Number(`1e${power - 8}`));

class QueueMetricSet {
  #gauges = new Map<string, () => QueueGauges>();
  #adds: Counter<(typeof LABELS)[number]>;
  #retries: Counter<(typeof LABELS)[number]>;
  #waited: Histogram<(typeof LABELS)[number]>;
  #worked: Histogram<(typeof LABELS)[number]>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#registerGauges(registers);
    this.#adds = new Counter({
      name: 'workqueue_adds_total',
      help: 'Total number of adds handled by the work queue',
      labelNames: LABELS,
      registers,
    });
    this.#retries = new Counter({
      name: 'workqueue_retries_total',
      help: 'Total number of retries handled by the work queue',
      labelNames: LABELS,
      registers,
    });
    this.#waited = new Histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long a key stays in the work queue before it is taken',
      labelNames: LABELS,
      buckets: BUCKETS,
      registers,
    });
    this.#worked = new Histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long processing a key from the work queue takes',
      labelNames: LABELS,
      buckets: BUCKETS,
      registers,
    });
  }

  forQueue(queue: string, read: () => QueueGauges): QueueMetrics {
    const labels = { name: queue, controller: queue };
    this.#gauges.set(queue, read);
    const adds = this.#adds.labels(labels);
    const retries = this.#retries.labels(labels);
    const waited = this.#waited.labels(labels);
    const worked = this.#worked.labels(labels);
    adds.inc(0);
    retries.inc(0);
    return {
      added: () => adds.inc(),
      retried: () => retries.inc(),
      waited: (seconds) => waited.observe(seconds),
      worked: (seconds) => worked.observe(seconds),
    };
  }

  /** Gauges are read when they are scraped: between scrapes they cost nothing and cannot go stale. */
  #registerGauges(registers: Registry[]): void {
    const gauges = this.#gauges;
    new Gauge({
      name: 'workqueue_depth',
      help: 'Current depth of the work queue by priority',
      labelNames: [...LABELS, 'priority'] as const,
      registers,
      collect() {
        for (const [name, read] of gauges) this.set({ name, controller: name, priority: PRIORITY }, read().depth);
      },
    });
    new Gauge({
      name: 'workqueue_unfinished_work_seconds',
      help: 'Seconds of work that is in progress and not yet counted by work_duration; large values mean stuck work',
      labelNames: LABELS,
      registers,
      collect() {
        for (const [name, read] of gauges) {
          const seconds = read().processingSeconds.reduce((sum, each) => sum + each, 0);
          this.set({ name, controller: name }, seconds);
        }
      },
    });
    new Gauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'For how many seconds the longest running processor of the work queue has been running',
      labelNames: LABELS,
      registers,
      collect() {
        for (const [name, read] of gauges) {
          this.set({ name, controller: name }, Math.max(0, ...read().processingSeconds));
        }
      },
    });
  }
}

const setsByRegistry = new WeakMap<Registry, QueueMetricSet>();

/** The metrics of the queue named `queue`; its gauges are read from `read` at each scrape. */
export function queueMetrics(registry: Registry, queue: string, read: () => QueueGauges): QueueMetrics {
  let set = setsByRegistry.get(registry);
  if (set === undefined) {
    set = new QueueMetricSet(registry);
    setsByRegistry.set(registry, set);
  }
  return set.forQueue(queue, read);
}
