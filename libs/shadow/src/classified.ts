import type { ComparedJob, Difference, DocumentedDifference } from '@muster/common-job-controller';
/** Which row of the pages of differences explains a difference. A difference without a row is unknown. */

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
