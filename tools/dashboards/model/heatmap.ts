/** The buckets of a histogram, each by itself: what a heatmap shows. */
import { parseValue, type Series } from './series.ts';

export interface Heatmap {
  readonly times: readonly number[];
  /** Ascending upper bounds; the last may be infinite. */
  readonly bounds: readonly number[];
  /** `counts[bucket][time]`: what is in this bucket and in none below it. */
  readonly counts: readonly (readonly number[])[];
}

/** Of series with the label `le`, whose values count what is below that bound. */
export function heatmapOf(series: readonly Series[]): Heatmap {
  const buckets = series
    .filter(({ labels }) => labels['le'] !== undefined)
    .map((each) => ({ bound: parseValue(each.labels['le'] ?? ''), each }))
    .sort((one, other) => one.bound - other.bound);
  const times = [...new Set(series.flatMap((each) => each.times))].sort((one, other) => one - other);
  const below = buckets.map(({ each }) => {
    const at = new Map(each.times.map((time, index) => [time, each.values[index]]));
    return times.map((time) => at.get(time) || 0);
  });
  return {
    times,
    bounds: buckets.map(({ bound }) => bound),
    // Scrapes of several operators are not of one moment, so a bucket may seem to hold less than the one below it.
    counts: below.map((counts, bucket) =>
      counts.map((count, time) => Math.max(count - (below[bucket - 1]?.[time] ?? 0), 0)),
    ),
  };
}
