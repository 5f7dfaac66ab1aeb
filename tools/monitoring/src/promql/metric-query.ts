/**
 * What can be asked of a declared metric: rates of counters and histograms, values of gauges. A rate of a gauge does not
 * compile.
 */
import type { CounterDeclaration, GaugeDeclaration, HistogramDeclaration, MetricDeclaration } from '@muster/metrics';
import { matchersText, TARGET_LABELS, type Matchers, type SeriesLabel } from './matchers.ts';
import { Vector } from './vector.ts';

/** A time span as PromQL writes it, or Grafana's variable for one that fits the resolution of a panel. */
export type Span = `${number}${'s' | 'm' | 'h' | 'd'}` | '$__rate_interval' | '$__range';

/** The gauge as it is. */
export function valueOf<const M extends GaugeDeclaration>(metric: M, matchers: Matchers<M>): Vector<SeriesLabel<M>> {
  return vector(metric, selected(metric.name, matchers));
}

/** The least or greatest value of the gauge within the span, for each series. */
export function overTime<const M extends GaugeDeclaration>(
  which: 'min' | 'max',
  metric: M,
  matchers: Matchers<M>,
  span: Span,
): Vector<SeriesLabel<M>> {
  return vector(metric, `${which}_over_time(${selected(metric.name, matchers)}[${span}])`);
}

/** Seconds since the time that the gauge tells. */
export function secondsSince<const M extends GaugeDeclaration & { readonly unit: 'timestamp' }>(
  metric: M,
  matchers: Matchers<M>,
): Vector<SeriesLabel<M>> {
  return new Vector(`time() - ${selected(metric.name, matchers)}`, labelsOf(metric), true);
}

/** How fast the counter goes up, per second. */
export function rate<const M extends CounterDeclaration>(
  metric: M,
  matchers: Matchers<M>,
  span: Span,
): Vector<SeriesLabel<M>> {
  return vector(metric, `rate(${selected(metric.name, matchers)}[${span}])`);
}

/**
 * By how much the counter went up within the span, or a gauge that counts (`isCount`). What a series began with is not counted. It is estimated
 * for the whole span, so it is a whole number only by chance.
 */
export function increase<const M extends CounterDeclaration | (GaugeDeclaration & { readonly isCount: true })>(
  metric: M,
  matchers: Matchers<M>,
  span: Span,
): Vector<SeriesLabel<M>> {
  return vector(metric, `increase(${selected(metric.name, matchers)}[${span}])`);
}

/** How many observations the histogram gets per second. */
export function observationRate<const M extends HistogramDeclaration>(
  metric: M,
  matchers: Matchers<M>,
  span: Span,
): Vector<SeriesLabel<M>> {
  return vector(metric, `rate(${selected(`${metric.name}_count`, matchers)}[${span}])`);
}

/** How many observations the histogram got within the span. */
function observations<const M extends HistogramDeclaration>(
  metric: M,
  matchers: Matchers<M>,
  span: Span,
): Vector<SeriesLabel<M>> {
  return vector(metric, `increase(${selected(`${metric.name}_count`, matchers)}[${span}])`);
}

/** The average of the observations within the span: exact, also for a single one. */
export function average<const M extends HistogramDeclaration, const By extends SeriesLabel<M>>(
  metric: M,
  matchers: Matchers<M>,
  { span, by }: { readonly span: Span; readonly by: readonly By[] },
): Vector<By> {
  const sum = vector(metric, `rate(${selected(`${metric.name}_sum`, matchers)}[${span}])`).sumBy(...by);
  // Without observations there is no average, and no series without values in a legend.
  return sum.per(
    observationRate(metric, matchers, span)
      .sumBy(...by)
      .above(0),
  );
}

/** How many observations each bucket of the histogram (label `le`) gets per second. */
export function bucketRate<const M extends HistogramDeclaration>(
  metric: M,
  matchers: Matchers<M>,
  span: Span,
): Vector<SeriesLabel<M> | 'le'> {
  const promql = `rate(${selected(`${metric.name}_bucket`, matchers)}[${span}])`;
  return new Vector(promql, [...labelsOf(metric), 'le']);
}

/** The value that a share of the observations within the span does not exceed, as far as the buckets tell. */
export function quantile<const M extends HistogramDeclaration, const By extends SeriesLabel<M>>(
  share: number,
  metric: M,
  matchers: Matchers<M>,
  { span, by }: { readonly span: Span; readonly by: readonly By[] },
): Vector<By> {
  const buckets = bucketRate(metric, matchers, span).sumBy<'le' | By>('le', ...by);
  return new Vector(`histogram_quantile(${share}, ${buckets.promql})`, by);
}

/** Of fewer observations a high quantile is the upper bound of a bucket. */
const LEAST_OBSERVATIONS = 20;

/** A quantile that is shown only where there are enough observations. */
export function knownQuantile<const M extends HistogramDeclaration, const By extends SeriesLabel<M>>(
  share: number,
  metric: M,
  matchers: Matchers<M>,
  { span, by }: { readonly span: Span; readonly by: readonly By[] },
): Vector<By> {
  const count = observations(metric, matchers, span).sumBy(...by);
  return quantile(share, metric, matchers, { span, by }).and(count.atLeast(LEAST_OBSERVATIONS));
}

/** 1 where there is no series of the metric at all. */
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
