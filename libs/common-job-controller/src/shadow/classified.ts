/** Which row of the pages of differences explains a difference. A difference without a row is unknown. */
import type { ComparedJob, Difference, DocumentedDifference } from '../contract/documented-difference.ts';

export interface Classified extends Difference {
  /** Undefined: unknown. */
  readonly row?: string;
}

export function classified(
  differences: readonly Difference[],
  job: ComparedJob,
  documented: readonly DocumentedDifference[],
): Classified[] {
  return differences.map((difference) => {
    const found = documented.find(
      ({ field, applies }) => field.test(difference.field) && applies?.(difference, job) !== false,
    );
    return found === undefined ? difference : { ...difference, row: found.row };
  });
}
