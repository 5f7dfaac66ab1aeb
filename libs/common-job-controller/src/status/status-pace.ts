/**
 * Counts change with every pod: written each time, the status of a job of a thousand workers would be written two thousand
 * times. So changes of nothing but counts are gathered, as the Job controller of Kubernetes does (pkg/controller/job,
 * syncJobBatchPeriod): they are written when they have stood as they are for two seconds, after each such write for twice as long as
 * before; and in any case eight seconds after the last write, by which a reader's counts are late at most. So does when all replicas
 * first ran together. That a job runs is written with all of its replicas, or when no other has begun to run for a second, eight
 * seconds after the first at most: else it would take two writes, the second for the counts. What must not be
 * forgotten until then, because its pod may go, is remembered (`Plan.unwritten`). Records of restarts that have served go with the counts:
 * of replicas that run again one after the other, each would take a write. Everything else is written at once, with the
 * counts of that moment.
 */
import type { JobStatus } from '@muster/job-api';
import { mergePatch } from '../owned-resources/merge-patch.ts';
import { areRecordsOf } from '../restarts/restart-records.ts';

const FIRST_CALM_MS = 2000;
const STARTING_CALM_MS = 1000;
const LONGEST_PAUSE_MS = 8000;

/** The last time that a job's status was written. */
export interface StatusWrite {
  readonly atMs: number;
  /** How many in a row, this one the last, have changed nothing but counts. */
  readonly ofCountsInARow: number;
}

/** How the status to be written came about. */
interface Change {
  readonly before: JobStatus;
  readonly after: JobStatus;
  /** Since when nothing that counts has changed. */
  readonly sinceMs: number;
  /** Since when something has been held back. */
  readonly heldBackSinceMs: number;
  /** Whether some replica has yet to run. */
  readonly isStarting: boolean;
}

/** For how long to hold `after` back; 0 when it is to be written now. */
export function holdBackMs(change: Change, last: StatusWrite | undefined, nowMs: number): number {
  // A clock that was set back must not keep a status from being written.
  if (last === undefined || nowMs < last.atMs || nowMs < change.sinceMs) return 0;
  return Math.max(0, dueAtMs(change, last) - nowMs);
}

/** 0 where something else has changed than what may wait. */
function dueAtMs({ before, after, sinceMs, heldBackSinceMs, isStarting }: Change, last: StatusWrite): number {
  if (areOnlyCounts(before, after)) {
    const calmMs = FIRST_CALM_MS * 2 ** last.ofCountsInARow;
    return Math.min(last.atMs + LONGEST_PAUSE_MS, Math.max(last.atMs, sinceMs) + calmMs);
  }
  if (!isStarting || !onlyBeginsToRun(before, after)) return 0;
  return Math.min(heldBackSinceMs + LONGEST_PAUSE_MS, sinceMs + STARTING_CALM_MS);
}

function onlyBeginsToRun(before: JobStatus, after: JobStatus): boolean {
  const { conditions, state } = after;
  const begun = { ...before, ...(conditions && { conditions }), ...(state && { state }) };
  return state === 'Running' && before.state !== state && areOnlyCounts(begun, after);
}

/** Whether the two differ in nothing that is to be known at once. Nobody has to know that the record of a restart is of no more use. */
export function areOnlyCounts(before: JobStatus, after: JobStatus): boolean {
  if (mergePatch(writtenAtOnce(before), writtenAtOnce(after)) !== undefined) return false;
  return areRecordsOf(after.restarts ?? [], before.restarts ?? []);
}

/** What a framework adds is not among it: those are counts, and words for what the conditions say. */
function writtenAtOnce(status: JobStatus) {
  const { conditions, state, startTime, completionTime, observedGeneration, elastic } = status;
  const { restartCount, disruptionCount, restarts = [], firstFailure } = status;
  const groups = restarts.filter(({ scope }) => scope !== undefined);
  const counted = { restartCount, disruptionCount, groups, firstFailure, noProgress: status.progress?.message };
  // Which replicas a role has is on record before surplus ones are deleted.
  const indexes = indexesOf(status);
  return { conditions, state, startTime, completionTime, observedGeneration, elastic, ...counted, indexes };
}

/** Which replicas each role has. */
function indexesOf({ replicaStatuses = {} }: JobStatus) {
  return Object.fromEntries(Object.entries(replicaStatuses).map(([role, { indexes }]) => [role, indexes]));
}
