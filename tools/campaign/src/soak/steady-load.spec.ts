import { SeededRandom } from '@muster/fault-injection';
import { FRAMEWORKS } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { steadyLoad } from './steady-load.ts';

const SETTINGS = {
  ...{ forMs: 600_000, jobs: 400, namespaces: 3, mostPods: 20, hasLarge: false, kinds: Object.keys(FRAMEWORKS) },
};

describe('the load of a soak', () => {
  const load = steadyLoad(new SeededRandom(7), SETTINGS);

  it('is the same for the same seed', () => {
    expect(steadyLoad(new SeededRandom(7), SETTINGS)).toEqual(load);
  });

  it('creates a job every 1.5 seconds, and each lives for at most 40 seconds', () => {
    expect(load.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 400 }, (_, index) => index * 1_500));
    for (const { atMs, acts } of load.slice(0, 370)) {
      expect(acts.at(-1)?.act.does).toBe('delete');
      expect((acts.at(-1)?.atMs ?? Infinity) - atMs).toBeLessThanOrEqual(40_000);
    }
  });

  it('keeps the acts of a job in the order of their times, within the run', () => {
    for (const { atMs, acts } of load) {
      const times = acts.map((act) => act.atMs);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      expect(times.every((each) => each >= atMs && each <= SETTINGS.forMs)).toBe(true);
    }
  });
});
