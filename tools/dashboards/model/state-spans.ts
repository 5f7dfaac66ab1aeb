/** Series as spans of time in which a value stays the same: what a state timeline shows. */
import type { Series } from './series.ts';

export interface StateSpan {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly value: number;
}

/** A span ends where the value changes, or where a point of the query has no value. */
export function stateSpans({ times, values }: Series, stepSeconds: number): StateSpan[] {
  const spans: StateSpan[] = [];
  times.forEach((time, index) => {
    const value = values[index] ?? NaN;
    if (Number.isNaN(value)) return;
    const before = spans.at(-1);
    const continues = before !== undefined && before.value === value && time - before.toSeconds <= stepSeconds * 0.5;
    const span = { fromSeconds: continues ? before.fromSeconds : time, toSeconds: time + stepSeconds, value };
    if (continues) spans[spans.length - 1] = span;
    else spans.push(span);
  });
  return spans;
}
