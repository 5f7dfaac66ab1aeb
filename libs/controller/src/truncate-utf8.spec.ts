import { describe, expect, it } from 'vitest';
import { truncateUtf8 } from './truncate-utf8.ts';

describe('truncateUtf8', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly10!', 10, 'exactly10!'],
    ['eleven long', 10, 'eleven …'],
    ['größe größe', 10, 'größe…'],
    ['日本語日本語', 10, '日本…'],
    ['👩‍🚀👩‍🚀', 10, '👩‍…'],
  ])('cuts %s at %i bytes between characters', (text, maxBytes, expected) => {
    const cut = truncateUtf8(text, maxBytes);
    expect(cut).toBe(expected);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
  });
});
