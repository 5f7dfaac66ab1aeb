/**
 * Counts change with every pod: written each time, the status of a job of a thousand workers would be written two thousand
 * times. So changes of nothing but counts are written at most twice a second; everything else is written at once, with
 * the counts of that moment.
 */
import type { JobStatus } from '@muster/job-api';
import { mergePatch } from './merge-patch.ts';

const COUNTS_EVERY_MS = 500;

/** For how long to hold `after` back; 0 when it is to be written now. `writtenMs` is when the last status was. */
export function holdBackMs(before: JobStatus, after: JobStatus, writtenMs: number | undefined, nowMs: number): number {
  if (writtenMs === undefined || mergePatch(withoutCounts(before), withoutCounts(after)) !== undefined) return 0;
  const sinceMs = nowMs - writtenMs;
  // A clock that was set back must not keep a status from being written.
  return sinceMs < 0 ? 0 : Math.max(0, COUNTS_EVERY_MS - sinceMs);
}

/** Who has ended well, or has run, is no count: a pod that is deleted a moment later must not run once more. */
function withoutCounts({ replicaStatuses = {}, ready: _ready, ...rest }: JobStatus) {
  const remembered = Object.entries(replicaStatuses).map(
    ([role, { succeededIndexes, startedIndexes }]) => `${role} ${succeededIndexes} ${startedIndexes}`,
  );
  return { ...rest, remembered };
}
