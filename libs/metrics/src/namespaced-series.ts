/** Series that are kept in memory by namespace, and their removal. Gauges of jobs are not kept: they are computed at each scrape. */
import { Counter, Histogram, type Registry } from 'prom-client';
import { METRICS } from './catalogue.ts';
import type { CounterDeclaration, HistogramDeclaration, MetricDeclaration } from './declaration.ts';

/** How long the series of a namespace stay after its last job is deleted: at least the longest window of an alert. */
export const NAMESPACE_SERIES_KEPT_MS = 3_600_000;

type KeptDeclaration = CounterDeclaration | HistogramDeclaration;

/** Every counter and histogram with the label `job_namespace`, without those that are computed at each scrape. */
export const NAMESPACED_SERIES: readonly KeptDeclaration[] = METRICS.flatMap(({ metrics }) =>
  Object.values(metrics),
).filter((metric): metric is KeptDeclaration => !isComputed(metric) && metric.labels.includes('job_namespace'));

function isComputed(metric: MetricDeclaration): boolean {
  return metric.type === 'gauge' || (metric.type === 'counter' && metric.isScraped === true);
}

/** Removes the series with these labels, for all values of labels with a closed set of values. Ignores labels that the metric lacks. */
export function removeSeries(
  registry: Registry,
  metric: MetricDeclaration,
  labels: Readonly<Record<string, string>>,
): void {
  const registered = registry.getSingleMetric(metric.name);
  if (!(registered instanceof Counter || registered instanceof Histogram)) return;
  for (const each of labelSets(metric, labels)) registered.remove(each);
}

function labelSets(metric: MetricDeclaration, given: Readonly<Record<string, string>>): Record<string, string>[] {
  let sets: Record<string, string>[] = [{}];
  for (const label of metric.labels) {
    const value = given[label];
    const values = value === undefined ? Object.keys(metric.values?.[label] ?? {}) : [value];
    sets = sets.flatMap((set) => values.map((each) => ({ ...set, [label]: each })));
  }
  return sets;
}
