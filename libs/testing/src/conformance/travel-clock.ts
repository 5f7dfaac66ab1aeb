/**
 * A clock that runs with the machine's and that a test can advance: due timers fire at once. So hours pass immediately,
 * while back-offs and requests take real time. Implements the operators' `Clock`.
 */

/** Node fires a longer timer at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
  timeout: NodeJS.Timeout;
}

export class TravelClock {
  #travelledMs = 0;
  #wallOffsetMs = 0;
  #timers = new Set<Timer>();

  now(): number {
    return Date.now() + this.#travelledMs + this.#wallOffsetMs;
  }

  monotonic(): number {
    return performance.now() + this.#travelledMs;
  }

  setTimer(delayMs: number, run: () => void): () => void {
    const timer: Timer = { atMs: this.monotonic() + Math.max(0, delayMs), run, timeout: setTimeout(() => {}, 0) };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => {
      clearTimeout(timer.timeout);
      this.#timers.delete(timer);
    };
  }

  advance(byMs: number): void {
    this.#travelledMs += byMs;
    for (const timer of [...this.#timers].sort((a, b) => a.atMs - b.atMs)) this.#arm(timer);
  }

  /** Sets the wall clock forward or back, as NTP does; no time passes. */
  shiftWall(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  #arm(timer: Timer): void {
    clearTimeout(timer.timeout);
    const leftMs = Math.max(0, timer.atMs - this.monotonic());
    timer.timeout = setTimeout(() => this.#fire(timer), Math.min(Math.ceil(leftMs), LONGEST_TIMEOUT_MS));
  }

  #fire(timer: Timer): void {
    if (timer.atMs > this.monotonic()) return this.#arm(timer);
    this.#timers.delete(timer);
    timer.run();
  }
}
