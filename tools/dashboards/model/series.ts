/** Results of Prometheus as named series. */
import type { Target } from './dashboard.ts';

/** `data` in the response to a query. */
export type PrometheusData =
  | { readonly resultType: 'matrix'; readonly result: readonly { metric: Labels; values: readonly Sample[] }[] }
  | { readonly resultType: 'vector'; readonly result: readonly { metric: Labels; value: Sample }[] }
  | { readonly resultType: 'scalar' | 'string'; readonly result: Sample };

export type Labels = Readonly<Record<string, string>>;
/** Unix time in seconds, and the value in decimal. */
export type Sample = readonly [seconds: number, value: string];

export interface Series {
  readonly refId: string;
  /** Name in the legend. */
  readonly name: string;
  readonly labels: Labels;
  /** Unix times in seconds, ascending. */
  readonly times: readonly number[];
  /** One for each time; NaN after a division by zero. */
  readonly values: readonly number[];
}

/** Series of a response, named by the legend of the query. */
export function seriesOf(target: Target, data: PrometheusData): Series[] {
  const named = (labels: Labels, samples: readonly Sample[]): Series => ({
    refId: target.refId ?? '',
    name: legendOf(target, labels),
    labels,
    times: samples.map(([seconds]) => seconds),
    values: samples.map(([, value]) => parseValue(value)),
  });
  switch (data.resultType) {
    case 'matrix':
      return data.result.map(({ metric, values }) => named(metric, values));
    case 'vector':
      return data.result.map(({ metric, value }) => named(metric, [value]));
    case 'scalar':
      return [named({}, [data.result])];
    case 'string':
      return [];
  }
}

/** JavaScript cannot parse `+Inf`. */
export function parseValue(text: string): number {
  if (text === '+Inf') return Infinity;
  return text === '-Inf' ? -Infinity : Number(text);
}

function legendOf({ legendFormat, expr = '' }: Target, labels: Labels): string {
  const format = legendFormat === '__auto' ? '' : (legendFormat ?? '');
  if (format !== '') return format.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (_whole, label: string) => labels[label] ?? '');
  const { __name__: metric = '', ...others } = labels;
  const pairs = Object.entries(others).map(([label, value]) => `${label}="${value}"`);
  if (pairs.length === 0) return metric === '' ? expr : metric;
  return `${metric}{${pairs.join(', ')}}`;
}

/** A statistic by its name in Grafana; undefined for a series without values, and for an unknown statistic. */
export function reduced({ values }: Pick<Series, 'values'>, statistic: string): number | undefined {
  const numbers = values.filter((value) => !Number.isNaN(value));
  const reduce = STATISTICS[statistic];
  return numbers.length === 0 ? undefined : reduce?.(numbers);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, value) => total + value, 0);
const last = (numbers: readonly number[]) => numbers.at(-1);
const first = (numbers: readonly number[]) => numbers[0];

export const STATISTICS: Readonly<Record<string, (numbers: readonly number[]) => number | undefined>> = {
  last,
  lastNotNull: last,
  first,
  firstNotNull: first,
  // Not Math.min(...): a long range has more values than a call takes arguments.
  min: (numbers) => numbers.reduce((least, value) => Math.min(least, value), Infinity),
  max: (numbers) => numbers.reduce((most, value) => Math.max(most, value), -Infinity),
  mean: (numbers) => sum(numbers) / numbers.length,
  sum,
  total: sum,
  count: (numbers) => numbers.length,
  range: (numbers) => STATISTICS['max']!(numbers)! - STATISTICS['min']!(numbers)!,
  delta: (numbers) => last(numbers)! - first(numbers)!,
};

/** Names of statistics in the legend. */
export const STATISTIC_NAMES: Readonly<Record<string, string>> = {
  last: 'Last',
  lastNotNull: 'Last',
  first: 'First',
  firstNotNull: 'First',
  min: 'Min',
  max: 'Max',
  mean: 'Mean',
  sum: 'Total',
  total: 'Total',
  count: 'Count',
  range: 'Range',
  delta: 'Change',
};

/** Series with common times: for each series one value per time, or undefined. */
export interface Aligned {
  readonly times: readonly number[];
  readonly values: readonly (readonly (number | undefined)[])[];
}

/**
 * Aligns series. If a series has no point at a step of the query, there is a gap, so that a line never bridges missing data.
 */
export function aligned(series: readonly Series[], stepSeconds: number): Aligned {
  const known = [...new Set(series.flatMap(({ times }) => times))].sort((one, other) => one - other);
  const times = known.flatMap((time, index) => {
    const next = known[index + 1];
    return next !== undefined && next - time > stepSeconds * 1.5 ? [time, time + stepSeconds] : [time];
  });
  const values = series.map((each) => {
    const at = new Map(each.times.map((time, index) => [time, each.values[index]]));
    return times.map((time) => {
      const value = at.get(time);
      return value === undefined || !Number.isFinite(value) ? undefined : value;
    });
  });
  return { times, values };
}

/**
 * Stacks each series on those before it. A missing value counts as 0 if another series has a value, so that those above have no gap. A series
 * without any value stays empty.
 */
export function stacked(values: Aligned['values']): Aligned['values'] {
  const heights = (values[0] ?? []).map(() => 0);
  const isKnown = heights.map((_none, index) => values.some((each) => each[index] !== undefined));
  return values.map((each) => {
    if (each.every((value) => value === undefined)) return each;
    return each.map((value, index) => {
      heights[index] = (heights[index] ?? 0) + (value ?? 0);
      return isKnown[index] === true ? heights[index] : undefined;
    });
  });
}
