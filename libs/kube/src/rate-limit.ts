/** A client-side rate limit: `burst` at once, `qps` on average, in the order of requests. */
import { TokenBucket } from './token-bucket.ts';

export interface RateLimit {
  /** Counts a request as sent; returns how long it has to wait. */
  reserveMs(): number;
}

export function createRateLimit(qps: number, burst: number, nowMs: () => number = () => performance.now()): RateLimit {
  if (qps <= 0) return { reserveMs: () => 0 };
  return new TokenBucket({ perSecond: qps, burst: Math.max(1, burst) }, nowMs);
}
