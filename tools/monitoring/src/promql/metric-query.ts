/**
 * Queries of declared metrics: rates of counters and histograms, values of gauges. A rate of a gauge does not compile.
 */
import type { CounterDeclaration, GaugeDeclaration, HistogramDeclaration, MetricDeclaration } from '@muster/metrics';
import { matchersText, TARGET_LABELS, type Matchers, type SeriesLabel } from './matchers.ts';
import { Vector } from './vector.ts';

/** A duration in PromQL, or a variable of Grafana. */
export type Span = `${number}${'s' | 'm' | 'h' | 'd'}` | '$__rate_interval' | '$__range';

export function valueOf<const M extends GaugeDeclaration>(metric: M, matchers: Matchers<M>): Vector<SeriesLabel<M>> {
  return vector(metric, selected(metric.name, matchers));
}

export function overTime<const M extends GaugeDeclaration>(
  which: 'min' | 'max',
  metric: M,
  matchers: Matchers<M>,
  span: Span,
): Vector<SeriesLabel<M>> {
  return vector(metric, `${which}_over_time(${selected(metric.name, matchers)}[${span}])`);
}

export function secondsSince<const M extends GaugeDeclaration & { readonly unit: 'timestamp' }>(
  metric: M,
  matchers: Matchers<M>,
): Vector<SeriesLabel<M>> {
  return new Vector(`time() - ${selected(metric.name, matchers)}`, labelsOf(metric), true);
}

/** Per second. */
export function rate<const M extends CounterDeclaration>(
  metric: M,
  matchers: Matchers<M>,
  span: Span,
): Vector<SeriesLabel<M>> {
  return vector(metric, `rate(${selected(metric.name, matchers)}[${span}])`);
}

/** A counter since the start of its process, its first value included. */
export function sinceStart<const M extends CounterDeclaration>(
  metric: M,
  matchers: Matchers<M>,
): Vector<SeriesLabel<M>> {
  return vector(metric, selected(metric.name, matchers));
}

/**
 * Increase of a counter within the span, or of a gauge with `isCount`. Excludes the first value of a series. Prometheus extrapolates it to the
 * whole span, so it may not be an integer.
 */
export function increase<const M extends CounterDeclaration | (GaugeDeclaration & { readonly isCount: true })>(
  metric: M,
  matchers: Matchers<M>,
  span: Span,
): Vector<SeriesLabel<M>> {
  return vector(metric, `increase(${selected(metric.name, matchers)}[${span}])`);
}

/** Observations of a histogram per second. */
export function observationRate<const M extends HistogramDeclaration>(
  metric: M,
  matchers: Matchers<M>,
  span: Span,
): Vector<SeriesLabel<M>> {
  return vector(metric, `rate(${selected(`${metric.name}_count`, matchers)}[${span}])`);
}

/** Observations of a histogram within the span. */
function observations<const M extends HistogramDeclaration>(
  metric: M,
  matchers: Matchers<M>,
  span: Span,
): Vector<SeriesLabel<M>> {
  return vector(metric, `increase(${selected(`${metric.name}_count`, matchers)}[${span}])`);
}

/** Average of the observations within the span: exact, also for a single one. */
export function average<const M extends HistogramDeclaration, const By extends SeriesLabel<M>>(
  metric: M,
  matchers: Matchers<M>,
  { span, by }: { readonly span: Span; readonly by: readonly By[] },
): Vector<By> {
  const sum = vector(metric, `rate(${selected(`${metric.name}_sum`, matchers)}[${span}])`).sumBy(...by);
  // Without observations there is no series, instead of one without values in a legend.
  return sum.per(
    observationRate(metric, matchers, span)
      .sumBy(...by)
      .above(0),
  );
}

/** Observations of each bucket (label `le`) per second. */
function bucketRate<const M extends HistogramDeclaration>(
  metric: M,
  matchers: Matchers<M>,
  span: Span,
): Vector<SeriesLabel<M> | 'le'> {
  const promql = `rate(${selected(`${metric.name}_bucket`, matchers)}[${span}])`;
  return new Vector(promql, [...labelsOf(metric), 'le']);
}

/** Observations of each bucket (label `le`) within the span. */
export function bucketIncrease<const M extends HistogramDeclaration>(
  metric: M,
  matchers: Matchers<M>,
  span: Span,
): Vector<SeriesLabel<M> | 'le'> {
  const promql = `increase(${selected(`${metric.name}_bucket`, matchers)}[${span}])`;
  return new Vector(promql, [...labelsOf(metric), 'le']);
}

/** As exact as the buckets. */
export function quantile<const M extends HistogramDeclaration, const By extends SeriesLabel<M>>(
  share: number,
  metric: M,
  matchers: Matchers<M>,
  { span, by }: { readonly span: Span; readonly by: readonly By[] },
): Vector<By> {
  const buckets = bucketRate(metric, matchers, span).sumBy<'le' | By>('le', ...by);
  return new Vector(`histogram_quantile(${share}, ${buckets.promql})`, by);
}

/** Of fewer observations, a high quantile is only the upper bound of a bucket. */
const LEAST_OBSERVATIONS = 20;

/** A quantile without series if there are too few observations. */
export function knownQuantile<const M extends HistogramDeclaration, const By extends SeriesLabel<M>>(
  share: number,
  metric: M,
  matchers: Matchers<M>,
  { span, by }: { readonly span: Span; readonly by: readonly By[] },
): Vector<By> {
  const count = observations(metric, matchers, span).sumBy(...by);
  return quantile(share, metric, matchers, { span, by }).and(count.atLeast(LEAST_OBSERVATIONS));
}

/** 1 if the metric has no series. */
export function absent<const M extends GaugeDeclaration>(metric: M, matchers: Matchers<M>): Vector<never> {
  return new Vector(`absent(${selected(metric.name, matchers)})`, []);
}

function vector<const M extends MetricDeclaration>(metric: M, promql: string): Vector<SeriesLabel<M>> {
  return new Vector(promql, labelsOf(metric));
}

function labelsOf<const M extends MetricDeclaration>(metric: M): readonly SeriesLabel<M>[] {
  return [...metric.labels, ...TARGET_LABELS];
}

function selected(
  name: string,
  matchers: Readonly<Record<string, Parameters<typeof matchersText>[0][string]>>,
): string {
  return `${name}${matchersText(matchers)}`;
}
