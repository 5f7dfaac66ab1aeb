/** Growing pauses between tries, jittered so that many clients that failed together do not come back together. */
export interface BackOffOptions {
  baseMs: number;
  maxMs: number;
  /** A number from 0 up to 1. */
  random?: () => number;
}

/** Pause before try `failures + 1`: the base doubled after each failure, at most `maxMs`; between half and all of that. */
export function backOffMs(failures: number, { baseMs, maxMs, random = Math.random }: BackOffOptions): number {
  const ceilingMs = Math.min(maxMs, baseMs * 2 ** Math.max(0, failures - 1));
  return ceilingMs * (0.5 + random() / 2);
}
