/** Metrics of work queues: one set per registry, shared by its queues. */
import { WORK_QUEUE, counter, histogram, scrapedGauge } from '@muster/metrics';
import type { Registry } from 'prom-client';

export interface QueueGauges {
  depth: number;
  processingSeconds: number[];
}

export interface QueueMetrics {
  added(): void;
  retried(): void;
  waited(seconds: number): void;
  worked(seconds: number): void;
}

/** controller-runtime's value for a key without a priority. */
const PRIORITY = '0';

/** By name: of several queues of one name the newest counts. */
type Queues = Map<string, () => QueueGauges>;

const queuesByRegistry = new WeakMap<Registry, Queues>();

/** @param read called at each scrape, for the gauges */
export function queueMetrics(registry: Registry, queue: string, read: () => QueueGauges): QueueMetrics {
  queuesOf(registry).set(queue, read);
  const labels = labelsOf(queue);
  const adds = counter(registry, WORK_QUEUE.adds).labels(labels);
  const retries = counter(registry, WORK_QUEUE.retries).labels(labels);
  const waited = histogram(registry, WORK_QUEUE.waited).labels(labels);
  const worked = histogram(registry, WORK_QUEUE.worked).labels(labels);
  adds.inc(0);
  retries.inc(0);
  return {
    added: () => adds.inc(),
    retried: () => retries.inc(),
    waited: (seconds) => waited.observe(seconds),
    worked: (seconds) => worked.observe(seconds),
  };
}

function queuesOf(registry: Registry): Queues {
  const known = queuesByRegistry.get(registry);
  if (known !== undefined) return known;
  const queues: Queues = new Map();
  queuesByRegistry.set(registry, queues);
  const ofEach = (value: (gauges: QueueGauges) => number) =>
    [...queues].map(([name, read]) => ({ labels: labelsOf(name), value: value(read()) }));
  scrapedGauge(registry, WORK_QUEUE.depth, () =>
    ofEach(({ depth }) => depth).map(({ labels, value }) => ({ labels: { ...labels, priority: PRIORITY }, value })),
  );
  scrapedGauge(registry, WORK_QUEUE.unfinished, () =>
    ofEach(({ processingSeconds }) => processingSeconds.reduce((sum, each) => sum + each, 0)),
  );
  scrapedGauge(registry, WORK_QUEUE.longestRunning, () =>
    ofEach(({ processingSeconds }) => Math.max(0, ...processingSeconds)),
  );
  return queues;
}

function labelsOf(queue: string) {
  return { name: queue, controller: queue };
}
