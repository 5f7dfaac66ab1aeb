import { describe, expect, it } from 'vitest';
import { ManualClock } from './clock.ts';
import { TokenBucket } from './token-bucket.ts';

describe('TokenBucket', () => {
  it('gives its burst at once and then its rate, and never saves up more than the burst', () => {
    const clock = new ManualClock();
    const bucket = new TokenBucket(clock, { perSecond: 2, burst: 3 });
    const taken = (): number => [1, 2, 3, 4, 5].filter(() => bucket.tryTake()).length;
    expect(taken()).toBe(3);
    clock.advance(499);
    expect(taken()).toBe(0);
    clock.advance(1);
    expect(taken()).toBe(1);
    clock.advance(3_600_000);
    expect(taken()).toBe(3);
  });

  it('tells those who take in advance to wait one after the other', () => {
    const bucket = new TokenBucket(new ManualClock(), { perSecond: 50, burst: 2 });
    expect([1, 2, 3, 4, 5].map(() => bucket.reserveMs())).toEqual([0, 0, 20, 40, 60]);
  });
});
