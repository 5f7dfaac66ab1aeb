import { describe, expect, it } from 'vitest';
import { mergePatch } from './merge-patch.ts';

describe('mergePatch', () => {
  it.each([
    {
      name: 'nothing differs',
      before: { a: 1, b: [1, { c: 2 }] },
      after: { b: [1, { c: 2 }], a: 1 },
      patch: undefined,
    },
    { name: 'undefined is absent', before: { a: undefined }, after: {}, patch: undefined },
    { name: 'a new field', before: {}, after: { a: 1 }, patch: { a: 1 } },
    { name: 'a field that is gone', before: { a: 1, b: 2 }, after: { b: 2 }, patch: { a: null } },
    {
      name: 'only what differs inside',
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
