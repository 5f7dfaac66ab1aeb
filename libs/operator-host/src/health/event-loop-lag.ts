/**
 * Measures how late the event loop runs. An answered probe only shows that the loop turns now; leases and watches are
 * not served while it is blocked. One timer serves probes and metrics, since each timer wakes an idle process.
 *
 * `monitorEventLoopDelay` is not used: it misses the first delay after a reset, and reports the whole time between two
 * ticks. A scrape resets nothing: its answer takes several turns of the loop, and there may be several scrapers.
 */
import { PROCESS, scrapedGauge } from '@muster/metrics';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { REGISTRY } from '../tokens.ts';

const TICK_MS = 500;

/** One minute, however many scrapers there are. */
const KEPT_TICKS = 120;

type Statistic = 'min' | 'max' | 'mean' | 'stddev' | 'p50' | 'p90' | 'p99';

/** prom-client's names. */
const GAUGES = {
  min: PROCESS.eventLoopLagMin,
  max: PROCESS.eventLoopLagMax,
  mean: PROCESS.eventLoopLagMean,
  stddev: PROCESS.eventLoopLagStddev,
  p50: PROCESS.eventLoopLagP50,
  p90: PROCESS.eventLoopLagP90,
  p99: PROCESS.eventLoopLagP99,
} as const;

type OfDelays = (delays: readonly number[]) => number;

const mean: OfDelays = (delays) => delays.reduce((sum, delay) => sum + delay, 0) / Math.max(1, delays.length);

/** The least delay that this share of all delays does not exceed. */
const percentile =
  (share: number): OfDelays =>
  (delays) =>
    delays.toSorted((one, other) => one - other)[Math.ceil(share * delays.length) - 1] ?? 0;

/** 0 before the first tick. */
const STATISTICS: Readonly<Record<Statistic, OfDelays>> = {
  min: (delays) => (delays.length === 0 ? 0 : Math.min(...delays)),
  max: (delays) => Math.max(0, ...delays),
  mean,
  stddev: (delays) => Math.sqrt(mean(delays.map((delay) => (delay - mean(delays)) ** 2))),
  p50: percentile(0.5),
  p90: percentile(0.9),
  p99: percentile(0.99),
};

@Injectable()
export class EventLoopLag implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Of the last ticks, in milliseconds, newest last. */
  readonly #delaysMs: number[] = [];
  #ticks: NodeJS.Timeout | undefined;
  #tickedAt = 0;
  #worstMs = 0;

  constructor(@Inject(REGISTRY) registry: Registry) {
    for (const [statistic, metric] of Object.entries(GAUGES)) {
      registry.removeSingleMetric(metric.name);
      scrapedGauge(registry, metric, () => [
        { labels: {}, value: STATISTICS[statistic as Statistic](this.#delaysMs) / 1000 },
      ]);
    }
  }

  onApplicationBootstrap(): void {
    this.#tickedAt = performance.now();
    this.#ticks = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.#ticks);
  }

  /** Since the previous call. */
  takeWorstMs(): number {
    const worstMs = this.#worstMs;
    this.#worstMs = 0;
    return worstMs;
  }

  #tick(): void {
    const now = performance.now();
    const lateMs = Math.max(0, now - this.#tickedAt - TICK_MS);
    this.#worstMs = Math.max(this.#worstMs, lateMs);
    this.#delaysMs.push(lateMs);
    if (this.#delaysMs.length > KEPT_TICKS) this.#delaysMs.shift();
    this.#tickedAt = now;
  }
}
