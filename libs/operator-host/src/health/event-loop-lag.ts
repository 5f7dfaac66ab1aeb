/**
 * How late the event loop ran. A probe that is answered at all says that the loop turns now; this says whether it stood still in between,
 * when leases and watches were not served either. One timer serves probes and metrics, since each wakes an idle process.
 *
 * Not `monitorEventLoopDelay`: after a reset that misses the first delay, which may be the one that counts; and it tells the time between
 * two looks, which is never less than what it was told to wait.
 */
import { createHistogram } from 'node:perf_hooks';
import { PROCESS, scrapedGauge } from '@muster/metrics';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { REGISTRY } from '../tokens.ts';

const TICK_MS = 500;

type Statistic = 'min' | 'max' | 'mean' | 'stddev' | 'p50' | 'p90' | 'p99';

/** As prom-client names them. */
const GAUGES = {
  min: PROCESS.eventLoopLagMin,
  max: PROCESS.eventLoopLagMax,
  mean: PROCESS.eventLoopLagMean,
  stddev: PROCESS.eventLoopLagStddev,
  p50: PROCESS.eventLoopLagP50,
  p90: PROCESS.eventLoopLagP90,
  p99: PROCESS.eventLoopLagP99,
} as const;

@Injectable()
export class EventLoopLag implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Since the last scrape, in nanoseconds. */
  readonly #delays = createHistogram();
  /** What this scrape is told; all gauges are read in one turn of the loop. */
  #told: Record<Statistic, number> | undefined;
  #ticks: NodeJS.Timeout | undefined;
  #tickedAt = 0;
  #worstMs = 0;

  constructor(@Inject(REGISTRY) registry: Registry) {
    for (const [statistic, metric] of Object.entries(GAUGES)) {
      registry.removeSingleMetric(metric.name);
      scrapedGauge(registry, metric, () => [{ labels: {}, value: this.#tell()[statistic as Statistic] }]);
    }
  }

  onApplicationBootstrap(): void {
    this.#tickedAt = performance.now();
    this.#ticks = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.#ticks);
  }

  /** Since it was last asked. */
  takeWorstMs(): number {
    const worstMs = this.#worstMs;
    this.#worstMs = 0;
    return worstMs;
  }

  #tick(): void {
    const now = performance.now();
    const lateMs = Math.max(0, now - this.#tickedAt - TICK_MS);
    this.#worstMs = Math.max(this.#worstMs, lateMs);
    // A histogram of Node takes whole numbers from 1.
    this.#delays.record(Math.max(1, Math.round(lateMs * 1e6)));
    this.#tickedAt = now;
  }

  /** In seconds. */
  #tell(): Record<Statistic, number> {
    if (this.#told !== undefined) return this.#told;
    const { count, min, max, mean, stddev } = this.#delays;
    const [p50, p90, p99] = [50, 90, 99].map((percent) => this.#delays.percentile(percent)) as [number, number, number];
    // Without a tick since the last scrape they have no meaning.
    const told = mapped({ min, max, mean, stddev, p50, p90, p99 }, (value) => (count === 0 ? 0 : value / 1e9));
    this.#delays.reset();
    setImmediate(() => (this.#told = undefined));
    return (this.#told = told);
  }
}

function mapped(values: Record<Statistic, number>, map: (value: number) => number): Record<Statistic, number> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)])) as Record<
    Statistic,
    number
  >;
}
