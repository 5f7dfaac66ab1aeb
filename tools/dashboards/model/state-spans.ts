/** Time spans of equal values, for a state timeline. */
import type { Series } from './series.ts';

export interface StateSpan {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly value: number;
}

/** A span ends at a change of the value, or at a point without a value. */
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
