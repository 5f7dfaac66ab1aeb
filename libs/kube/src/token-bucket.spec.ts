import { describe, expect, it } from 'vitest';
import { TokenBucket } from './token-bucket.ts';

describe('TokenBucket', () => {
  it('gives its burst at once and then its rate, and never accumulates more than the burst', () => {
    let nowMs = 0;
    const bucket = new TokenBucket({ perSecond: 2, burst: 3 }, () => nowMs);
    const taken = (): number => [1, 2, 3, 4, 5].filter(() => bucket.tryTake()).length;
    expect(taken()).toBe(3);
    nowMs += 499;
    expect(taken()).toBe(0);
    nowMs += 1;
    expect(taken()).toBe(1);
    nowMs += 3_600_000;
    expect(taken()).toBe(3);
  });

  it('makes callers that reserve tokens wait one after the other', () => {
    const bucket = new TokenBucket({ perSecond: 50, burst: 2 }, () => 0);
    expect([1, 2, 3, 4, 5].map(() => bucket.reserveMs())).toEqual([0, 0, 20, 40, 60]);
  });
});
