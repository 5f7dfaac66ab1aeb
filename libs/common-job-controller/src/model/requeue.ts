/**
 * Where one pod of a job fails others mostly do, too: so long after the first they are looked for, so that they are found together and counted
 * by one write of the status.
 */
export const FAILURES_COME_WITHIN_MS = 300;

/** The soonest of several moments to look again, some of which may never come. */
export function earliest(...delaysMs: readonly (number | undefined)[]): number | undefined {
  const known = delaysMs.filter((delayMs) => delayMs !== undefined);
  return known.length === 0 ? undefined : Math.max(0, Math.min(...known));
}
