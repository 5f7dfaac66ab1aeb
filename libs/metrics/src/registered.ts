/**
 * prom-client's metrics by their declarations. A registry returns the same metric for the same declaration, so several queues,
 * clients or controllers of a process share it.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CounterDeclaration, GaugeDeclaration, HistogramDeclaration, LabelOf } from './declaration.ts';
import { described } from './described.ts';

export type CounterOf<M extends CounterDeclaration> = Counter<LabelOf<M>>;
export type GaugeOf<M extends GaugeDeclaration> = Gauge<LabelOf<M>>;
export type HistogramOf<M extends HistogramDeclaration> = Histogram<LabelOf<M>>;

export function counter<const M extends CounterDeclaration>(registry: Registry, metric: M): CounterOf<M> {
  const known = registry.getSingleMetric(metric.name) as CounterOf<M> | undefined;
  return known ?? new Counter({ ...described(metric), registers: [registry] });
}

export function gauge<const M extends GaugeDeclaration>(registry: Registry, metric: M): GaugeOf<M> {
  const known = registry.getSingleMetric(metric.name) as GaugeOf<M> | undefined;
  return known ?? new Gauge({ ...described(metric), registers: [registry] });
}

export function histogram<const M extends HistogramDeclaration>(registry: Registry, metric: M): HistogramOf<M> {
  const known = registry.getSingleMetric(metric.name) as HistogramOf<M> | undefined;
  return known ?? new Histogram({ ...described(metric), buckets: [...metric.buckets], registers: [registry] });
}
