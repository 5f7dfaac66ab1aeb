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

describe('holdBackMs', () => {
  it.each<[string, JobStatus, number | undefined, number, number?]>([
    ['counts after others wait for twice as long', COUNTS, 9_500, 3500, 1],
    ['counts wait for eight seconds at most', COUNTS, 2_500, 500, 9],
    ['another state does not wait for that', { ...COUNTS, state: 'Succeeded' }, 9_900, 0, 9],
    ['the first status of a process is written at once', COUNTS, undefined, 0],
    ['counts wait for what is left of two seconds', COUNTS, 9_800, 1800],
    ['counts are written when two seconds have passed', COUNTS, 8_000, 0],
    ['a restart does not wait', { ...COUNTS, restartCount: 1 }, 9_900, 0],
    ['when all ran together waits as counts do', { ...COUNTS, allRunningTime: '2030-01-01T12:00:00Z' }, 9_800, 1800],
    ['what a framework counts waits as well', { ...COUNTS, workerReplicas: 2 } as JobStatus, 9_800, 1800],
    ['who has ended well waits as counts do', ENDED, 9_800, 1800],
    [
      'which replicas a role has does not wait',
      { ...COUNTS, replicaStatuses: { Worker: { indexes: '0,2' } } },
      9_999,
      0,
    ],
    ['when the job started does not wait', { ...COUNTS, startTime: '2030-01-01T12:00:00Z' }, 9_999, 0],
    ['another state does not wait', { ...COUNTS, state: 'Succeeded' }, 9_900, 0],
    ['nothing waits for a clock that was set back', COUNTS, 99_000, 0],
  ])('%s', (_case, after, atMs, expected, ofCountsInARow = 0) => {
    const last = atMs === undefined ? undefined : { atMs, ofCountsInARow };
    expect(holdBackMs(BEFORE, after, last, 10_000)).toBe(expected);
  });
});
