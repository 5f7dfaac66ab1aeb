/** Buckets of a histogram that are not cumulative, for a heatmap. */
import { parseValue, type Series } from './series.ts';

export interface Heatmap {
  readonly times: readonly number[];
  /** Ascending upper bounds; the last may be infinite. */
  readonly bounds: readonly number[];
  /** `counts[bucket][time]`, without lower buckets. */
  readonly counts: readonly (readonly number[])[];
}

/** @param series cumulative buckets with the label `le` */
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
    // Several operators are scraped at different times, so a bucket can be smaller than the one below it.
    counts: below.map((counts, bucket) =>
      counts.map((count, time) => Math.max(count - (below[bucket - 1]?.[time] ?? 0), 0)),
    ),
  };
}
