import { describe, expect, it } from 'vitest';
import { functionsIn, namedIn, sampleOf } from './mutant-sample.ts';

const TEXT = `import { a } from './a.ts';

/** Decides. */
export function decide(): boolean {
  return a();
}

const TABLE = { a: () => 1 };
function helper() { return TABLE; }
`;

const sampled = (names: readonly string[], firstLine = 1) =>
  names.map((name) => ({ file: 'a.ts', name, firstLine, lastLine: firstLine + 9 }));
const namesOf = (sample: readonly { readonly name: string }[]) => sample.map(({ name }) => name);

describe('the sample of a mutation run', () => {
  it('consists of functions at the top level, without their comments', () => {
    expect(functionsIn('a.ts', TEXT)).toEqual([
      { file: 'a.ts', name: 'decide', firstLine: 4, lastLine: 6 },
      { file: 'a.ts', name: 'helper', firstLine: 9, lastLine: 9 },
    ]);
  });

  const NAMES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

  it('has at least the requested lines, or all functions if there are fewer', () => {
    expect(sampleOf(sampled(NAMES), 'seed', 25)).toHaveLength(3);
    expect(namesOf(sampleOf(sampled(NAMES), 'seed', Infinity)).sort()).toEqual([...NAMES].sort());
  });

  it('has only the named functions, and rejects a name that no function has', () => {
    const functions = sampled(NAMES);
    expect(namedIn(functions, undefined)).toEqual(functions);
    expect(namesOf(namedIn(functions, 'three,one'))).toEqual(['three', 'one']);
    expect(() => namedIn(functions, 'one,nine')).toThrow('no function nine at the top level of these files');
  });

  it('stays the same when functions move in their files, and changes with the seed', () => {
    const chosen = namesOf(sampleOf(sampled(NAMES), 'seed', 40));
    expect(namesOf(sampleOf(sampled([...NAMES].reverse(), 100), 'seed', 40))).toEqual(chosen);
    const ofOtherSeeds = ['a', 'b', 'c', 'd'].map((seed) => namesOf(sampleOf(sampled(NAMES), seed, 40)).join());
    expect(new Set(ofOtherSeeds).size).toBeGreaterThan(1);
  });
});
