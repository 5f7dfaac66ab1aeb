/** Time is injected everywhere instead of read from globals, so that tests control it. */
import { setLongTimer } from '@muster/kube';

export interface Clock {
  /** Wall time in milliseconds since the epoch, for timestamps in objects. */
  now(): number;
  /** Milliseconds from an arbitrary origin, for durations. Setting the machine's clock does not change it. */
  monotonic(): number;
  /** Calls `run` once after `delayMs`. Returns the function that cancels it. */
  setTimer(delayMs: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (delayMs, run) => setLongTimer(delayMs, run),
};

/** A clock that only a test advances. */
export class ManualClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  #timers = new Set<{ atMs: number; run: () => void }>();

  constructor(startMs = Date.UTC(2030, 0, 1)) {
    this.#wallMs = startMs;
  }

  now(): number {
    return this.#wallMs;
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  setTimer(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.#monotonicMs + Math.max(0, delayMs), run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers that become due run in order, each at its own time, also those set meanwhile. */
  advance(byMs: number): void {
    const endMs = this.#monotonicMs + byMs;
    for (let next = this.#nextTimer(endMs); next !== undefined; next = this.#nextTimer(endMs)) {
      this.#timers.delete(next);
      this.#moveTo(next.atMs);
      next.run();
    }
    this.#moveTo(endMs);
  }

  /** Sets the wall clock forward or back, as NTP does, without passing time. */
  setWall(nowMs: number): void {
    this.#wallMs = nowMs;
  }

  /** A test that ends with a pending timer has leaked it. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  #moveTo(atMs: number): void {
    this.#wallMs += atMs - this.#monotonicMs;
    this.#monotonicMs = atMs;
  }

  #nextTimer(untilMs: number): { atMs: number; run: () => void } | undefined {
    let next: { atMs: number; run: () => void } | undefined;
    for (const timer of this.#timers) {
      if (timer.atMs <= untilMs && (next === undefined || timer.atMs < next.atMs)) next = timer;
    }
    return next;
  }
}
