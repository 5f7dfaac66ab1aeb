/** How a metric is declared. */

/**
 * What a value counts in: `timestamp` are seconds since 1970 began, `boolean` is 1 or 0, `info` is always 1, and its labels are
 * what it says.
 */
export type Unit = 'seconds' | 'timestamp' | 'bytes' | 'count' | 'ratio' | 'boolean' | 'info';

interface Declaration {
  /** As it is exported; of a histogram without `_bucket`, `_sum` and `_count`. */
  readonly name: string;
  readonly labels: readonly string[];
  /** One line that says what a value means. */
  readonly help: string;
  readonly unit: Unit;
  /** The values of labels that have a closed set of them, each with its meaning. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** What has to happen before there is a series of it. Default: there is one as soon as the operator runs. */
  readonly appears?: string;
}

/** Goes up only; from 0 again when the operator is restarted. */
export interface CounterDeclaration extends Declaration {
  readonly type: 'counter';
}

/** Is as it was when it was scraped. */
export interface GaugeDeclaration extends Declaration {
  readonly type: 'gauge';
  /** Whether a series only goes up, and starts at 0 again with the next object of the same labels. So its increase is known. */
  readonly isCount?: true;
}

export interface HistogramDeclaration extends Declaration {
  readonly type: 'histogram';
  /** Upper bounds in `unit`, the smallest first; the last bucket, without a bound, is not among them. */
  readonly buckets: readonly number[];
}

export type MetricDeclaration = CounterDeclaration | GaugeDeclaration | HistogramDeclaration;

/** Metrics by the name that code uses for them. */
export type MetricSet = Readonly<Record<string, MetricDeclaration>>;

/** The names of the labels of a declaration. */
export type LabelOf<M extends MetricDeclaration> = M['labels'][number];

/** The values that a label of a declaration has, where they are a closed set. */
export type ValueOf<M extends MetricDeclaration, Label extends string> = M extends {
  readonly values: Readonly<Record<Label, infer Values>>;
}
  ? keyof Values & string
  : string;
