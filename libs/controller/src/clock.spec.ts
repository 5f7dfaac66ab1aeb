import { describe, expect, it, vi } from 'vitest';
import { ManualClock, systemClock } from './clock.ts';
import { settlesWithin, sleep } from './wait.ts';

describe('ManualClock', () => {
  it('runs due timers in order, each at its own time, also those set by other timers', () => {
    const clock = new ManualClock(0);
    const runs: [string, number][] = [];
    clock.setTimer(30, () => runs.push(['c', clock.now()]));
    clock.setTimer(10, () => {
      runs.push(['a', clock.now()]);
      clock.setTimer(10, () => runs.push(['b', clock.now()]));
    });
    clock.setTimer(31, () => runs.push(['never', clock.now()]));
    clock.advance(30);
    expect(runs).toEqual([
      ['a', 10],
      ['b', 20],
      ['c', 30],
    ]);
  });

  it('does not run a timer that was cancelled', () => {
    const clock = new ManualClock();
    const cancel = clock.setTimer(1, () => expect.unreachable('the timer was cancelled'));
    cancel();
    clock.advance(10);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps its monotonic time when the wall clock is set', () => {
    const clock = new ManualClock(1000);
    clock.advance(5);
    clock.setWall(0);
    clock.advance(1);
    expect([clock.now(), clock.monotonic()]).toEqual([1, 6]);
  });
});

describe('systemClock', () => {
  it('waits for a delay longer than Node supports, instead of firing at once', () => {
    vi.useFakeTimers();
    try {
      let runs = 0;
      const sixtyDaysMs = 60 * 24 * 3600 * 1000;
      systemClock.setTimer(sixtyDaysMs, () => (runs += 1));
      vi.advanceTimersByTime(sixtyDaysMs - 1);
      expect(runs).toBe(0);
      vi.advanceTimersByTime(1);
      expect(runs).toBe(1);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('sleep', () => {
  it('ends at once when aborted, and leaves no timer', async () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const slept = sleep(clock, 1000, stop.signal);
    stop.abort();
    await slept;
    await sleep(clock, 1000, stop.signal);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('settlesWithin', () => {
  it('returns whether the promise settled in time, rethrows its error, and leaves no timer', async () => {
    const clock = new ManualClock();
    expect(await settlesWithin(clock, Promise.resolve(), 10)).toBe(true);
    await expect(settlesWithin(clock, Promise.reject(new Error('broken')), 10)).rejects.toThrow('broken');
    const late = settlesWithin(clock, new Promise(() => undefined), 10);
    clock.advance(10);
    expect(await late).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });
});
