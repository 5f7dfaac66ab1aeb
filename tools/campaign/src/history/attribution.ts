/** Which operators, in which versions, wrote what a violation is about: an earlier version may have a defect that is fixed now. */
import type { Violation } from '../invariants/invariant.ts';
import type { History } from './history.ts';
import { jobStories } from './job-story.ts';

/** With the writer of the last change before the violation if its revision is known, and otherwise with all writers of the job's objects. */
export function attributed(
  history: Pick<History, 'changes' | 'writes'>,
  violations: readonly Violation[],
): Violation[] {
  if (history.writes.every(({ operatorVersion }) => operatorVersion === 'current')) return [...violations];
  const jobs = new Map(jobStories(history).map((job) => [job.uid, job]));
  return violations.map((violation) => {
    const job = jobs.get(violation.uid ?? '');
    if (job === undefined) return violation;
    const objects = new Set([job.uid, ...[...job.owned, ...job.pods].map(({ uid }) => uid)]);
    const own = history.writes.filter(({ uid = '', revision = Infinity }) => {
      return objects.has(uid) && revision <= (violation.revision ?? Infinity);
    });
    const writers = own.map(({ replica, operatorVersion }) => `${replica}, ${operatorVersion}`);
    const writtenBy = violation.revision === undefined ? [...new Set(writers)] : writers.slice(-1);
    return { ...violation, writtenBy };
  });
}
