/** Exponential back-off with jitter, so that clients that failed together do not retry together. */
export interface BackOffOptions {
  baseMs: number;
  maxMs: number;
  random?: () => number;
}

/** The pause before try `failures + 1`: `baseMs` doubled after each failure, at most `maxMs`, jittered down to half. */
export function backOffMs(failures: number, { baseMs, maxMs, random = Math.random }: BackOffOptions): number {
  const ceilingMs = Math.min(maxMs, baseMs * 2 ** Math.max(0, failures - 1));
  return ceilingMs * (0.5 + random() / 2);
}
