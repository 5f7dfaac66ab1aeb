/** A client-side limit on requests: `burst` at once, `qps` in the long run; in the order in which they came. */
export interface RateLimit {
  /** How long the next request has to wait. Counts it as sent. */
  reserveMs(): number;
}

/** @param qps 0: no limit */
export function createRateLimit(qps: number, burst: number, nowMs: () => number = () => performance.now()): RateLimit {
  if (qps <= 0) return { reserveMs: () => 0 };
  const intervalMs = 1000 / qps;
  const creditMs = (Math.max(1, burst) - 1) * intervalMs;
  // When the bucket is next full: the one number that a token bucket needs.
  let fullAtMs = -Infinity;
  return {
    reserveMs() {
      const now = nowMs();
      const start = Math.max(fullAtMs, now);
      fullAtMs = start + intervalMs;
      return Math.max(0, start - now - creditMs);
    },
  };
}
