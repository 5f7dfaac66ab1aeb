import { describe, expect, it } from 'vitest';
import { soakFailures } from './report.ts';

const HEALTHY = { of: 'mpi/a (leader)', figure: 'active timers', first: 40, last: 45, limit: 10 } as const;

describe('the failures of a soak', () => {
  const comparisons = [{ ...HEALTHY, isGrowth: false }];

  it('are none if no figure grows, nothing is left and no process has ended', () => {
    expect(soakFailures({ comparisons, left: {}, exits: [] })).toEqual([]);
  });

  it('name each figure that grows with its first and last value, each object that is left and each process that ended', () => {
    const exit = { replica: 'mpi/b', operatorVersion: 'current', atMs: 1, end: 'SIGABRT', lastLines: '' };
    const grown = { ...HEALTHY, last: 90, isGrowth: true };
    expect(soakFailures({ comparisons: [...comparisons, grown], left: { pods: 2 }, exits: [exit] })).toEqual([
      'GROWTH: active timers of mpi/a (leader): 40 → 90 (at most 50)',
      'LEFT after all jobs were deleted: 2 pods',
      'ENDED by itself: mpi/b (SIGABRT)',
    ]);
  });

  it('include that the soak was too short to compare anything', () => {
    expect(soakFailures({ comparisons: [], left: {}, exits: [] })).toHaveLength(1);
  });
});
