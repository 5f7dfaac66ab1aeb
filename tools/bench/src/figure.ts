/** Measurements of one quantity, beside the floor: the least that it can be on the same machine in the same minutes. */
export interface Figure {
  median: number;
  min: number;
  max: number;
  floor: number;
  /** The ratio to the floor. Compare this between machines; other values hold for one machine. */
  ratio: number;
  /** The median should be below this, if it is set. */
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

/** For a quantity without a floor. */
export function spread(values: readonly number[], digits: number): Pick<Figure, 'median' | 'min' | 'max'> {
  const round = (value: number) => Number(value.toFixed(digits));
  return { median: round(median(values)), min: round(Math.min(...values)), max: round(Math.max(...values)) };
}

/** For an even number of values the mean of the two in the middle. Throws if there are none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error('a median needs values: measure at least once');
  return (lower + upper) / 2;
}
