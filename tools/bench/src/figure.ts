/** Measurements of one thing, beside those of the least that it could be on the same machine in the same minutes. */
export interface Figure {
  median: number;
  min: number;
  max: number;
  floor: number;
  /** How many times the floor. Compare this between machines; the rest holds for one machine. */
  ratio: number;
  /** What the figure is meant to stay below, where that is laid down. */
  target?: number;
  met?: boolean;
}

export function figure(values: readonly number[], floors: readonly number[], digits: number, target?: number): Figure {
  const round = (value: number) => Number(value.toFixed(digits));
  const middle = median(values);
  const floor = median(floors);
  return {
    median: round(middle),
    min: round(Math.min(...values)),
    max: round(Math.max(...values)),
    floor: round(floor),
    ratio: Number((middle / floor).toFixed(2)),
    ...(target === undefined ? {} : { target, met: middle < target }),
  };
}

/** For what has no floor. */
export function spread(values: readonly number[], digits: number): Pick<Figure, 'median' | 'min' | 'max'> {
  const round = (value: number) => Number(value.toFixed(digits));
  return { median: round(median(values)), min: round(Math.min(...values)), max: round(Math.max(...values)) };
}

/** Of an even number of values the mean of the two in the middle. Throws if there are none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined)
    throw new Error('there is no median of nothing: measure at least once');
  return (lower + upper) / 2;
}
