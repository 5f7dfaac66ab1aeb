import { describe, expect, it } from 'vitest';
import { mergePatch } from './merge-patch.ts';

describe('mergePatch', () => {
  it.each([
    {
      name: 'no patch if nothing differs',
      before: { a: 1, b: [1, { c: 2 }] },
      after: { b: [1, { c: 2 }], a: 1 },
      patch: undefined,
    },
    { name: 'undefined equals absent', before: { a: undefined }, after: {}, patch: undefined },
    { name: 'a new field', before: {}, after: { a: 1 }, patch: { a: 1 } },
    { name: 'null for a removed field', before: { a: 1, b: 2 }, after: { b: 2 }, patch: { a: null } },
    {
      name: 'only the nested fields that differ',
      before: { a: { x: 1, y: 2 } },
      after: { a: { x: 1, y: 3 } },
      patch: { a: { y: 3 } },
    },
    { name: 'a list as a whole', before: { a: [1, 2] }, after: { a: [1] }, patch: { a: [1] } },
    { name: 'another kind of value', before: { a: [1] }, after: { a: { b: 1 } }, patch: { a: { b: 1 } } },
  ])('$name', ({ before, after, patch }) => {
    expect(mergePatch(before, after)).toEqual(patch);
  });
});
