import { metricsText } from '@muster/metrics';
import { Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import { EventLoopLag } from './event-loop-lag.ts';

function standStill(forMs: number): void {
  const until = performance.now() + forMs;
  while (performance.now() < until);
}

describe('EventLoopLag', () => {
  it('reports the longest block of the loop', async () => {
    const lag = new EventLoopLag(new Registry());
    lag.onApplicationBootstrap();
    // Each call reports the block of the previous one.
    await vi.waitFor(
      () => {
        standStill(1200);
        expect(lag.takeWorstMs()).toBeGreaterThan(150);
      },
      { timeout: 120_000 },
    );
    lag.onApplicationShutdown();
  });

  it('resets after each report', () => {
    const lag = new EventLoopLag(new Registry());
    lag.onApplicationBootstrap();
    lag.takeWorstMs();
    expect(lag.takeWorstMs()).toBe(0);
    lag.onApplicationShutdown();
  });

  it('exports the lag of the last minute in seconds, without the time between two ticks', async () => {
    const registry = new Registry();
    const lag = new EventLoopLag(registry);
    const scraped = async (statistic: string) => {
      const { values } = (await registry.getSingleMetric(`nodejs_eventloop_lag_${statistic}_seconds`)?.get()) ?? {};
      return values?.[0]?.value ?? NaN;
    };
    expect([await scraped('min'), await scraped('max')], 'before the first measurement').toEqual([0, 0]);
    lag.onApplicationBootstrap();
    await vi.waitFor(
      async () => {
        standStill(1200);
        // As in an operator: the event loop turns between two metrics.
        const text = await metricsText(registry);
        const [max, p99] = ['max', 'p99'].map((each) =>
          Number(new RegExp(`^nodejs_eventloop_lag_${each}_seconds{} (.*)$`, 'm').exec(text)?.[1]),
        );
        expect(max).toBeGreaterThan(0.15);
        expect(p99).toBeCloseTo(max ?? NaN, 1);
      },
      { timeout: 120_000 },
    );
    expect(await scraped('p99'), 'scraped again').toBeGreaterThan(0.15);
    lag.onApplicationShutdown();
  });
});
