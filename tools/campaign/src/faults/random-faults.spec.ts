import { SeededRandom } from '@muster/fault-injection';
import { describe, expect, it } from 'vitest';
import { type FaultName, FAULTS, randomFaults } from './random-faults.ts';

const NAMES = Object.keys(FAULTS) as FaultName[];
const scheduleOf = (seed: number) => randomFaults(new SeededRandom(seed), 600_000, NAMES);

describe('randomFaults', () => {
  it('gives the same schedule for the same seed only', () => {
    expect(scheduleOf(1)).toEqual(scheduleOf(1));
    expect(scheduleOf(1)).not.toEqual(scheduleOf(2));
  });

  it('causes each kind of fault before one is repeated', () => {
    expect(
      new Set(
        scheduleOf(1)
          .slice(0, NAMES.length)
          .map(({ fault }) => fault),
      ).size,
    ).toBe(NAMES.length);
  });

  it('leaves between 0 and 12 seconds between the replicas of an upgrade or rollback', () => {
    const pauses = randomFaults(new SeededRandom(1), 4_000_000, ['rolling-upgrade', 'rollback']).map(
      ({ forMs }) => forMs,
    );
    expect(Math.min(...pauses)).toBeLessThan(100);
    expect(Math.max(...pauses)).toBeGreaterThan(11_900);
    expect(pauses.every((forMs) => forMs >= 0 && forMs <= 12_000)).toBe(true);
  });
});
