/** Exponential back-off per key, reset on success: client-go's per-item limiter with its defaults. */
const DEFAULT_BACKOFF_BASE_MS = 5;
const DEFAULT_BACKOFF_MAX_MS = 1_000_000;

export class ItemBackoff {
  #failures = new Map<string, number>();
  #baseMs: number;
  #maxMs: number;

  constructor(baseMs = DEFAULT_BACKOFF_BASE_MS, maxMs = DEFAULT_BACKOFF_MAX_MS) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  /** Counts a failure; returns the delay before the next try. */
  nextMs(key: string): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    return Math.min(this.#maxMs, this.#baseMs * 2 ** failures);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }
}
