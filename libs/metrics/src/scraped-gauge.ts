/**
 * Gauges that are computed at each scrape. Nothing is kept between scrapes: no series has to be found by its labels, and none
 * is left after its job is deleted. Counters whose series have labels with any value are computed in the same way.
 */
import { Gauge, type Registry } from 'prom-client';
import type { CounterDeclaration, GaugeDeclaration, LabelOf } from './declaration.ts';
import { described } from './described.ts';

/** One series at the time of a scrape. */
export interface Sample<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

type ScrapedDeclaration = GaugeDeclaration | (CounterDeclaration & { readonly isScraped: true });

/**
 * A metric with exactly the series that `samples` returns at the scrape. Throws if the registry already has the metric.
 */
export function scrapedGauge<const M extends ScrapedDeclaration>(
  registry: Registry,
  metric: M,
  samples: () => Iterable<Sample<LabelOf<M>>>,
): void {
  registry.registerMetric(new ScrapedGauge(metric, samples));
}

export class ScrapedGauge<M extends ScrapedDeclaration = ScrapedDeclaration> extends Gauge<LabelOf<M>> {
  readonly #metric: M;
  readonly #samples: () => Iterable<Sample<LabelOf<M>>>;

  constructor(metric: M, samples: () => Iterable<Sample<LabelOf<M>>>) {
    super({ ...described(metric), registers: [] });
    this.#metric = metric;
    this.#samples = samples;
  }

  override async get(): ReturnType<Gauge<LabelOf<M>>['get']> {
    const described = { ...(await super.get()), values: [...this.#samples()] };
    // prom-client has no type for a computed counter.
    return { ...described, type: this.#metric.type as unknown as typeof described.type };
  }

  /** The output of `Registry.getMetricsAsString`, line by line. */
  *lines(): Generator<string> {
    const { name, help, type, labels } = this.#metric;
    const names: readonly LabelOf<M>[] = labels;
    yield `# HELP ${name} ${help}`;
    yield `# TYPE ${name} ${type}`;
    for (const sample of this.#samples()) {
      const pairs = names.map((label) => `${label}="${escaped(sample.labels[label])}"`);
      yield `${name}{${pairs.join(',')}} ${sample.value}`;
    }
  }
}

function escaped(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
