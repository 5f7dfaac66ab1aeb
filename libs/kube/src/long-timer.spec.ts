import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setLongTimer } from './long-timer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const DAY_MS = 86_400_000;

it.each([1, 596 * 3_600_000, 597 * 3_600_000, 60 * DAY_MS])(
  'a timer of %i ms fires then, and not before',
  (delayMs) => {
    const run = vi.fn();
    setLongTimer(delayMs, run);
    vi.advanceTimersByTime(delayMs - 1);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledOnce();
  },
);

it('a timer that is cancelled after its first step does not fire', () => {
  const run = vi.fn();
  const cancel = setLongTimer(60 * DAY_MS, run);
  vi.advanceTimersByTime(30 * DAY_MS);
  cancel();
  vi.advanceTimersByTime(60 * DAY_MS);
  expect(run).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
