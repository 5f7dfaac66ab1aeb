/** Compares the first samples of a soak with the last. */
import { FIGURES, type FigureName, type Figures, limitOf } from './figures.ts';

/** What was read from one process, or from the API server, at one time. */
export interface Sample {
  readonly atMs: number;
  /** Such as `mpi/a (leader)`: a process is not compared with itself in another role. */
  readonly of: string;
  readonly figures: Figures;
}

export interface Comparison {
  readonly of: string;
  readonly figure: FigureName;
  /** The medians of the first and of the last third. */
  readonly first: number;
  readonly last: number;
  /** How far the last may be above the first. */
  readonly limit: number;
  readonly isGrowth: boolean;
}

/** Fewer samples prove nothing. */
const LEAST_OF_A_THIRD = 4;

/**
 * One row for each process and figure that has enough samples. A figure grows if the median of the last third is above that of the first by more than
 * the limit, and if three quarters of the last third are above three quarters of the first: otherwise it varies that much by itself.
 * @param samples in the order of their times, without the warm-up
 */
export function comparisonsOf(samples: readonly Sample[]): Comparison[] {
  const names = Object.keys(FIGURES) as FigureName[];
  return [...Map.groupBy(samples, ({ of }) => of)].flatMap(([of, own]) =>
    names.flatMap((figure) => {
      const values = own.flatMap(({ figures }) => figures[figure] ?? []);
      return comparisonOf({ of, figure, values }) ?? [];
    }),
  );
}

function comparisonOf({
  of,
  figure,
  values,
}: {
  readonly of: string;
  readonly figure: FigureName;
  readonly values: readonly number[];
}): Comparison | undefined {
  const size = Math.floor(values.length / 3);
  if (size < LEAST_OF_A_THIRD) return undefined;
  const [early, late] = [values.slice(0, size), values.slice(-size)];
  const [first, last] = [quantile(early, 0.5), quantile(late, 0.5)];
  const limit = limitOf(figure, first);
  const isGrowth = last - first > limit && quantile(late, 0.25) > quantile(early, 0.75);
  return { of, figure, first, last, limit, isGrowth };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.round(share * (sorted.length - 1))] ?? NaN;
}

/** For each figure the process whose figure came nearest to its limit, or exceeded it most. */
export function nearestToLimit(comparisons: readonly Comparison[]): Comparison[] {
  const nearness = ({ first, last, limit }: Comparison) => (last - first) / Math.max(limit, 1e-9);
  return [...Map.groupBy(comparisons, ({ figure }) => figure).values()].map((each) =>
    each.reduce((one, other) => (nearness(other) > nearness(one) ? other : one)),
  );
}
