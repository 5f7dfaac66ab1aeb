import type { DocumentedDifference } from '@muster/common-job-controller';

/** @param what the first cell of the row */
export function documented(
  page: string,
  what: string,
  field: RegExp,
  applies?: DocumentedDifference['applies'],
): DocumentedDifference {
  return { row: `${page}: ${what}`, field, ...(applies && { applies }) };
}
