import { describe, expect, it, vi } from 'vitest';
import { EventLoopLag } from './event-loop-lag.ts';

function standStill(forMs: number): void {
  const until = performance.now() + forMs;
  while (performance.now() < until);
}

describe('EventLoopLag', () => {
  it('tells how long the loop stood still at worst', async () => {
    const lag = new EventLoopLag();
    lag.onApplicationBootstrap();
    // Each look sees the standstill of the look before.
    await vi.waitFor(
      () => {
        standStill(1200);
        expect(lag.takeWorstMs()).toBeGreaterThan(150);
      },
      { timeout: 10_000 },
    );
    lag.onApplicationShutdown();
  });

  it('forgets what was told', () => {
    const lag = new EventLoopLag();
    lag.onApplicationBootstrap();
    lag.takeWorstMs();
    expect(lag.takeWorstMs()).toBe(0);
    lag.onApplicationShutdown();
  });
});
