/** A token bucket that starts full: `burst` at once, then `perSecond`. */

export class TokenBucket {
  #nowMs: () => number;
  #perMs: number;
  #burst: number;
  #tokens: number;
  #filledMs: number;

  constructor(limits: { perSecond: number; burst: number }, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#perMs = limits.perSecond / 1000;
    this.#burst = limits.burst;
    this.#tokens = limits.burst;
    this.#filledMs = nowMs();
  }

  tryTake(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes a token in advance; returns the milliseconds until it exists. */
  reserveMs(): number {
    this.#fill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  #fill(): void {
    const nowMs = this.#nowMs();
    this.#tokens = Math.min(this.#burst, this.#tokens + (nowMs - this.#filledMs) * this.#perMs);
    this.#filledMs = nowMs;
  }
}
