/** Percentiles of measurements and of Prometheus' histograms. */

/** @param share from 0 to 1. Throws if there are no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (found === undefined) throw new Error('a percentile needs values: measure at least once');
  return found;
}

/** Returns the upper bound of the share; undefined if the histogram is empty. @param buckets cumulative counts by `le` */
export function histogramPercentile(buckets: Readonly<Record<string, number>>, share: number): number | undefined {
  const sorted = Object.entries(buckets)
    .map(([bound, count]) => [bound === '+Inf' ? Infinity : Number(bound), count] as const)
    .sort(([a], [b]) => a - b);
  const all = sorted.at(-1)?.[1] ?? 0;
  return all === 0 ? undefined : sorted.find(([, count]) => count >= all * share)?.[0];
}
