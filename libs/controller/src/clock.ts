/**
 * Time, as everything in Muster sees it: handed in, never taken from the globals, so that a test decides when it
 * passes.
 */
import { setLongTimer } from '@muster/kube';

export interface Clock {
  /** Wall time in milliseconds since the epoch: for what is written into objects or compared with their timestamps. */
  now(): number;
  /**
   * Milliseconds from an arbitrary origin that only ever grow: for measuring how long something took. Unlike `now` it
   * does not jump when the machine's clock is set, which a lease or a back-off must not notice.
   */
  monotonic(): number;
  /** Calls `run` once, `delayMs` from now or as soon after as possible. Returns the way to call it off. */
  setTimer(delayMs: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (delayMs, run) => setLongTimer(delayMs, run),
};

/** A clock that stands still until a test moves it. */
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

  /** Lets time pass: timers that become due run in order, each at its own moment, also those set meanwhile. */
  advance(byMs: number): void {
    const endMs = this.#monotonicMs + byMs;
    for (let next = this.#nextTimer(endMs); next !== undefined; next = this.#nextTimer(endMs)) {
      this.#timers.delete(next);
      this.#moveTo(next.atMs);
      next.run();
    }
    this.#moveTo(endMs);
  }

  /** Sets the wall clock forward or back, as an administrator or NTP does, while no time passes. */
  setWall(nowMs: number): void {
    this.#wallMs = nowMs;
  }

  /** How many timers are set: a test that ends with one left has leaked it. */
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
