import { expect, it } from 'vitest';
import { MUTANTS } from './mutants.ts';
import { type MutantResult, withMutants } from './run-mutants.ts';

it('keeps the last result of each mutant, in the order of the list', () => {
  const [first, second] = MUTANTS.map(({ what }) => what);
  const before = [resultOf(first, false), resultOf('A defect that is no longer in the list.', true)];
  const all = withMutants(before, [resultOf(second, true), resultOf(first, true)]);
  expect(all.map(({ number, what, isDetected }) => [number, what, isDetected])).toEqual([
    [1, first, true],
    [2, second, true],
  ]);
  expect(withMutants(all, [])).toEqual(all);
});

function resultOf(what = '', isDetected = true): MutantResult {
  return { number: 7, what, file: 'a.ts', isDetected, violated: [], messages: [], seconds: 1 };
}
