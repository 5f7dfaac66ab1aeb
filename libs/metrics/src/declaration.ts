/** How a metric is declared. */

/**
 * Unit of a value. `timestamp`: Unix time in seconds. `boolean`: 1 or 0. `info`: always 1, with the information in the labels.
 */
export type Unit = 'seconds' | 'timestamp' | 'bytes' | 'count' | 'ratio' | 'boolean' | 'info';

interface Declaration {
  /** As exported; for a histogram without `_bucket`, `_sum` and `_count`. */
  readonly name: string;
  readonly labels: readonly string[];
  /** Meaning of the value, in one line. */
  readonly help: string;
  readonly unit: Unit;
  /** Values of labels with a closed set of values, each with its meaning. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Condition for the first series. Default: a series exists as soon as the operator runs. */
  readonly appears?: string;
}

export interface CounterDeclaration extends Declaration {
  readonly type: 'counter';
  /** Computed at each scrape (`scraped-gauge.ts`). */
  readonly isScraped?: true;
}

export interface GaugeDeclaration extends Declaration {
  readonly type: 'gauge';
  /** A series only goes up, and restarts at 0 with the next object of the same labels. So `increase` applies. */
  readonly isCount?: true;
}

export interface HistogramDeclaration extends Declaration {
  readonly type: 'histogram';
  /** Upper bounds in `unit`, ascending, without `+Inf`. */
  readonly buckets: readonly number[];
}

export type MetricDeclaration = CounterDeclaration | GaugeDeclaration | HistogramDeclaration;

/** Metrics by their name in code. */
export type MetricSet = Readonly<Record<string, MetricDeclaration>>;

export type LabelOf<M extends MetricDeclaration> = M['labels'][number];

/** `string` for a label without a closed set of values. */
export type ValueOf<M extends MetricDeclaration, Label extends string> = M extends {
  readonly values: Readonly<Record<Label, infer Values>>;
}
  ? keyof Values & string
  : string;
