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

describe('holdBackMs', () => {
  it.each<[string, JobStatus, number | undefined, number]>([
    ['the first status of a process is written at once', COUNTS, undefined, 0],
    ['counts wait for what is left of half a second', COUNTS, 9_800, 300],
    ['counts are written when half a second has passed', COUNTS, 9_500, 0],
    ['a restart does not wait', { ...COUNTS, restartCount: 1 }, 9_900, 0],
    [
      'who has ended well does not wait',
      { ...COUNTS, replicaStatuses: { Worker: { succeededIndexes: '1' } } },
      9_900,
      0,
    ],
    ['another state does not wait', { ...COUNTS, state: 'Succeeded' }, 9_900, 0],
    ['nothing waits for a clock that was set back', COUNTS, 99_000, 0],
  ])('%s', (_case, after, writtenMs, expected) => {
    expect(holdBackMs(BEFORE, after, writtenMs, 10_000)).toBe(expected);
  });
});
