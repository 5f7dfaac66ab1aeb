/** A client-side limit on requests: `burst` at once, `qps` in the long run; in the order in which they came. */
import { TokenBucket } from './token-bucket.ts';

export interface RateLimit {
  /** How long the next request has to wait. Counts it as sent. */
  reserveMs(): number;
}

/** @param qps 0: no limit */
export function createRateLimit(qps: number, burst: number, nowMs: () => number = () => performance.now()): RateLimit {
  if (qps <= 0) return { reserveMs: () => 0 };
  return new TokenBucket({ perSecond: qps, burst: Math.max(1, burst) }, nowMs);
}
