import { SeededRandom } from '@muster/fault-injection';
import { describe, expect, it } from 'vitest';
import type { FaultPlace } from './fault-place.ts';
import { jumpClock, jumpOf } from './clock-jump.ts';

const MINUTE_MS = 60_000;

describe('jumpOf', () => {
  it('goes forward and back, by seconds as often as by up to an hour', () => {
    const random = new SeededRandom(1);
    const jumps = Array.from({ length: 1000 }, () => jumpOf(random));
    const sizes = jumps.map(Math.abs);
    expect(jumps.filter((byMs) => byMs > 0).length).toBeGreaterThan(400);
    expect(jumps.filter((byMs) => byMs < 0).length).toBeGreaterThan(400);
    expect(sizes.filter((size) => size < MINUTE_MS).length).toBeGreaterThan(300);
    expect(sizes.filter((size) => size > 10 * MINUTE_MS).length).toBeGreaterThan(150);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(2_000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(60 * MINUTE_MS);
  });
});

describe('jumpClock', () => {
  it('sets the clock of one replica right again', async () => {
    const shifts: number[] = [];
    const replica = { shiftClock: (byMs: number) => shifts.push(byMs) };
    const place = { replicas: [replica] } as unknown as FaultPlace;
    await jumpClock(place, { index: 0, fault: 'clock-jump', atMs: 0, forMs: 0, pick: 0.3, share: 0 });
    expect(shifts).toHaveLength(2);
    expect(shifts.map(Math.abs)).not.toContain(0);
    expect(shifts.reduce((sum, byMs) => sum + byMs)).toBe(0);
  });
});
