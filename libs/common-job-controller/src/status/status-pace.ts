/**
 * Counts change with every pod: written each time, the status of a job of a thousand workers would be written two thousand
 * times. So changes of nothing but counts are written once a second at most, as the Job controller of Kubernetes gathers
 * them (pkg/controller/job, syncJobBatchPeriod), and so is when all replicas first ran together. Who has ended well, or has
 * run, waits with them and is remembered meanwhile (`Plan.unwritten`): its pod may go. Everything else is written at once, with the
 * counts of that moment.
 */
import type { JobStatus } from '@muster/job-api';
import { mergePatch } from '../owned-resources/merge-patch.ts';

const COUNTS_EVERY_MS = 1000;

/** For how long to hold `after` back; 0 when it is to be written now. `writtenMs` is when the last status was. */
export function holdBackMs(before: JobStatus, after: JobStatus, writtenMs: number | undefined, nowMs: number): number {
  if (writtenMs === undefined || differ(writtenAtOnce(before), writtenAtOnce(after))) return 0;
  const sinceMs = nowMs - writtenMs;
  // A clock that was set back must not keep a status from being written.
  if (sinceMs < 0) return 0;
  return Math.max(0, COUNTS_EVERY_MS - sinceMs);
}

/** What a framework adds is not among it: those are counts, and words for what the conditions say. */
function writtenAtOnce(status: JobStatus) {
  const { conditions, state, startTime, completionTime, observedGeneration } = status;
  const { restartCount, disruptionCount, restarts } = status;
  const counted = { restartCount, disruptionCount, restarts };
  // Which replicas a role has is on record before surplus ones are deleted.
  const indexes = indexesOf(status);
  return { conditions, state, startTime, completionTime, observedGeneration, ...counted, indexes };
}

/** Which replicas each role has. */
function indexesOf({ replicaStatuses = {} }: JobStatus) {
  return Object.fromEntries(Object.entries(replicaStatuses).map(([role, { indexes }]) => [role, indexes]));
}

function differ(before: object, after: object): boolean {
  return mergePatch(before, after) !== undefined;
}
