import { describe, expect, it } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

describe('createRateLimit', () => {
  it('allows a burst at once and further requests one by one', () => {
    const limit = createRateLimit(10, 3, () => 0);
    expect(Array.from({ length: 5 }, () => limit.reserveMs())).toEqual([0, 0, 0, 100, 200]);
  });

  it('allows another burst after some time', () => {
    let nowMs = 0;
    const limit = createRateLimit(10, 2, () => nowMs);
    expect([limit.reserveMs(), limit.reserveMs(), limit.reserveMs()]).toEqual([0, 0, 100]);
    nowMs = 300;
    expect([limit.reserveMs(), limit.reserveMs(), limit.reserveMs()]).toEqual([0, 0, 100]);
  });

  it('does not limit at 0 requests per second', () => {
    const limit = createRateLimit(0, 0, () => 0);
    expect(Array.from({ length: 1000 }, () => limit.reserveMs()).every((waitMs) => waitMs === 0)).toBe(true);
  });
});
