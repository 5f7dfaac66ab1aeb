import { describe, expect, it, vi } from 'vitest';
import { shrink } from './shrink.ts';

const ITEMS = Array.from({ length: 16 }, (_item, index) => index);

describe('shrink', () => {
  it.each([[[5]], [[0, 15]], [[3, 4, 11]], [[]]])('finds the items %j that fail together', async (causes) => {
    const fails = (part: readonly number[]) => Promise.resolve(causes.every((cause) => part.includes(cause)));
    expect(await shrink(ITEMS, fails)).toEqual(causes);
  });

  it('returns all items if no part of them fails', async () => {
    expect(await shrink([1, 2], () => Promise.resolve(false))).toEqual([1, 2]);
  });

  it('tries at most the given number of parts', async () => {
    const fails = vi.fn((part: readonly number[]) => Promise.resolve(part.includes(5)));
    expect(await shrink(ITEMS, fails, 2)).toContain(5);
    expect(fails).toHaveBeenCalledTimes(2);
  });
});
