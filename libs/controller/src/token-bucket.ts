/** A token bucket: `burst` at once, then `perSecond`. It starts full. */
import type { Clock } from './clock.ts';

export class TokenBucket {
  #clock: Clock;
  #perMs: number;
  #burst: number;
  #tokens: number;
  #filledMs: number;

  constructor(clock: Clock, limits: { perSecond: number; burst: number }) {
    this.#clock = clock;
    this.#perMs = limits.perSecond / 1000;
    this.#burst = limits.burst;
    this.#tokens = limits.burst;
    this.#filledMs = clock.monotonic();
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes a token in advance; returns for how many milliseconds its owner has to wait until it exists. */
  reserveMs(): number {
    this.#fill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  #fill(): void {
    const nowMs = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (nowMs - this.#filledMs) * this.#perMs);
    this.#filledMs = nowMs;
  }
}
