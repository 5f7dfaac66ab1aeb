/** In milliseconds. Undefined: no delay is given. */
export function earliest(...delaysMs: readonly (number | undefined)[]): number | undefined {
  const known = delaysMs.filter((delayMs) => delayMs !== undefined);
  return known.length === 0 ? undefined : Math.max(0, Math.min(...known));
}
