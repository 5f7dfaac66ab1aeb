import type { JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { holdBackMs } from './status-pace.ts';

const BEFORE: JobStatus = {
  state: 'Running',
  ready: '1/3',
  replicaStatuses: { Worker: { active: 1 } },
  restartCount: 0,
};
const COUNTS: JobStatus = { ...BEFORE, ready: '2/3', replicaStatuses: { Worker: { active: 2 } } };
const ENDED: JobStatus = { ...COUNTS, replicaStatuses: { Worker: { active: 1, succeededIndexes: '1' } } };

interface Moments {
  readonly before?: JobStatus;
  readonly after?: JobStatus;
  /** Default: all replicas run. */
  readonly isStarting?: boolean;
  /** When the status was written last; default: never by this process. */
  readonly writtenMs?: number | undefined;
  readonly sinceMs?: number;
  readonly heldBackSinceMs?: number;
  readonly ofCountsInARow?: number;
}

const CREATED: JobStatus = { ...BEFORE, state: 'Created', ready: '0/3', replicaStatuses: {} };

const RECORD = { role: 'Worker', indexes: '0-1', marks: 'aaaabbbb', replaced: true };
const REPLACED: JobStatus = { ...BEFORE, state: 'Restarting', restartCount: 2, restarts: [RECORD] };
const replaced = (restarts: JobStatus['restarts'] = []): Moments => ({
  before: REPLACED,
  after: { ...REPLACED, ready: '2/3', restarts },
});
const GROUP = { scope: 'Job', replaced: true } as const;

const NOW_MS = 100_000;

describe('holdBackMs', () => {
  it.each<[string, Moments, number]>([
    ['counts are written when they have stood for two seconds', { sinceMs: 98_000 }, 0],
    ['counts that have just changed wait for two seconds', {}, 2000],
    ['counts that stand wait for what is left of two seconds', { sinceMs: 99_400 }, 1400],
    ['those begin with the last write at the earliest', { sinceMs: 90_000, writtenMs: 99_800 }, 1800],
    ['after others counts are to stand for twice as long', { sinceMs: 99_400, ofCountsInARow: 1 }, 3400],
    ['counts that never stand are written after eight seconds', { writtenMs: 92_300 }, 300],
    ['however many were written before', { sinceMs: 99_000, writtenMs: 94_000, ofCountsInARow: 9 }, 2000],
    ['the first status of a process is written at once', { writtenMs: undefined }, 0],
    ['another state does not wait', { after: { ...COUNTS, state: 'Succeeded' }, ofCountsInARow: 9 }, 0],
    ['a restart does not wait', { after: { ...COUNTS, restartCount: 1 } }, 0],
    [
      'when all ran together waits as counts do',
      { after: { ...COUNTS, allRunningTime: '2030-01-01T12:00:00Z' } },
      2000,
    ],
    ['what a framework counts waits as well', { after: { ...COUNTS, workerReplicas: 2 } as JobStatus }, 2000],
    ['who has ended well waits as counts do', { after: ENDED }, 2000],
    [
      'which replicas a role has does not wait',
      { after: { ...COUNTS, replicaStatuses: { Worker: { indexes: '0,2' } } } },
      0,
    ],
    ['when the job started does not wait', { after: { ...COUNTS, startTime: '2030-01-01T12:00:00Z' } }, 0],
    ['that a job runs waits a second for others to run', { before: CREATED, isStarting: true }, 1000],
    ['and no longer than those are away', { before: CREATED, isStarting: true, sinceMs: 99_000 }, 0],
    ['nor past eight seconds after the first', { before: CREATED, isStarting: true, heldBackSinceMs: 92_300 }, 300],
    ['however long nothing was written before', { before: CREATED, isStarting: true, writtenMs: 2_000 }, 1000],
    ['nor when all run', { before: CREATED }, 0],
    ['so does that it runs again', { before: { ...CREATED, state: 'Restarting' }, isStarting: true }, 1000],
    ['a restart meanwhile does not', { before: CREATED, after: { ...COUNTS, restartCount: 1 }, isStarting: true }, 0],
    [
      'that a replica runs that was replaced waits as counts do',
      replaced([{ ...RECORD, indexes: '1', marks: 'bbbb' }]),
      2000,
    ],
    ['so do several', replaced(), 2000],
    ['that one has failed again does not', replaced([{ ...RECORD, indexes: '0-1', marks: 'aaaacccc' }]), 0],
    ['nor that another has', replaced([RECORD, { ...RECORD, indexes: '2', marks: 'cccc', failures: 1 }]), 0],
    ['nor what else is known of it', replaced([{ ...RECORD, failures: 2 }]), 0],
    ['nor that a job has begun anew', { ...replaced([]), before: { ...REPLACED, restarts: [GROUP] } }, 0],
    ['nothing waits for a clock that was set back', { writtenMs: 990_000 }, 0],
    ['nor if it was set back since they stand', { sinceMs: 990_000 }, 0],
  ])('%s', (_case, moments, expected) => {
    const { writtenMs, ofCountsInARow, ...change } = {
      ...{ before: BEFORE, after: COUNTS, isStarting: false },
      ...{ writtenMs: 98_000, sinceMs: NOW_MS, heldBackSinceMs: NOW_MS, ofCountsInARow: 0 },
      ...moments,
    };
    const last = writtenMs === undefined ? undefined : { atMs: writtenMs, ofCountsInARow };
    expect(holdBackMs(change, last, NOW_MS)).toBe(expected);
  });
});
