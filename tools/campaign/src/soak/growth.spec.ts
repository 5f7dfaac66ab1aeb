import { SeededRandom } from '@muster/fault-injection';
import { describe, expect, it } from 'vitest';
import type { FigureName } from './figures.ts';
import { comparisonsOf, nearestToLimit, type Sample } from './growth.ts';

const MIB = 1024 * 1024;
const MINUTES = 10;
const JOBS_PER_SAMPLE = 5;

/** A sample every six seconds. */
const samplesOf = (figure: FigureName, valueAt: (index: number) => number, of = 'mpi/a (leader)'): Sample[] =>
  Array.from({ length: MINUTES * 10 }, (_, index) => ({
    ...{ atMs: index * 6_000, of, figures: { [figure]: valueAt(index) } },
  }));
const grown = (samples: readonly Sample[]) => comparisonsOf(samples).filter(({ isGrowth }) => isGrowth);

describe('the comparison of the first third of a soak with the last', () => {
  it('finds memory that grows with each job, also under noise', () => {
    const random = new SeededRandom(1);
    const heap = (index: number) => 40 * MIB + index * JOBS_PER_SAMPLE * 20_000 + random.fraction() * 4 * MIB;
    expect(grown(samplesOf('heap after garbage collection', heap))).toMatchObject([{ of: 'mpi/a (leader)' }]);
  });

  it('finds a leak of one handle for every twenty jobs', () => {
    const random = new SeededRandom(2);
    const handles = (index: number) => 20 + Math.floor((index * JOBS_PER_SAMPLE) / 20) + random.whole(0, 4);
    const [growth] = grown(samplesOf('active handles', handles));
    expect(growth).toMatchObject({ figure: 'active handles', of: 'mpi/a (leader)' });
    expect((growth?.last ?? 0) - (growth?.first ?? 0)).toBeGreaterThan(10);
  });

  it('finds one Lease that stays, since their number is fixed', () => {
    expect(grown(samplesOf('Leases', (index) => (index < 50 ? 16 : 17)))).toMatchObject([{ first: 16, last: 17 }]);
  });

  it('reports no noise without a trend, whatever the seed', () => {
    for (let seed = 0; seed < 200; seed++) {
      const random = new SeededRandom(seed);
      const samples = [
        ...samplesOf('heap after garbage collection', () => 40 * MIB + random.fraction() * 12 * MIB),
        ...samplesOf('active timers', () => 30 + random.whole(-15, 15)),
        ...samplesOf('wait in the work queue', () => (random.isOneIn(10) ? 3 : 0.001)),
      ];
      expect(grown(samples), `seed ${seed}`).toEqual([]);
    }
  });

  it('reports neither a few high samples at the end, nor a figure that falls', () => {
    expect(grown(samplesOf('open files', (index) => (index > 90 ? 500 : 40)))).toEqual([]);
    expect(grown(samplesOf('open files', (index) => 200 - index))).toEqual([]);
  });

  it('does not compare a process as leader with the same process as standby', () => {
    const standby = samplesOf('series of metrics', () => 300, 'mpi/b (standby)').slice(0, 50);
    const leader = samplesOf('series of metrics', () => 1_500, 'mpi/b (leader)').slice(50);
    expect(comparisonsOf([...standby, ...leader])).toMatchObject([
      { of: 'mpi/b (standby)', first: 300, last: 300, isGrowth: false },
      { of: 'mpi/b (leader)', first: 1_500, last: 1_500, isGrowth: false },
    ]);
  });

  it('compares nothing before there are four samples in a third', () => {
    const samples = samplesOf('open files', (index) => index * 100);
    expect(comparisonsOf(samples.slice(0, 11))).toEqual([]);
    expect(grown(samples.slice(0, 12))).toHaveLength(1);
  });

  it('selects the process that is nearest to the limit of a figure', () => {
    const a = samplesOf('open files', () => 40);
    const b = samplesOf('open files', (index) => 40 + index / 50, 'mpi/b (standby)');
    expect(nearestToLimit(comparisonsOf([...a, ...b]))).toMatchObject([{ of: 'mpi/b (standby)' }]);
  });
});
