import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { INVARIANTS } from '../invariants/invariants.ts';
import { MUTANTS } from './mutants.ts';

const ROOT = join(import.meta.dirname, '../../../..');

describe('the mutants of the campaign', () => {
  it.each(MUTANTS)('change text that is in its file exactly once: $what', ({ file, find, replace }) => {
    expect(readFileSync(join(ROOT, file), 'utf8').split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
  });

  it('name invariants that exist, and all but those that hold by the names of pods or need Kueue', () => {
    const known = INVARIANTS.map(({ name }) => name);
    const detecting = new Set(MUTANTS.flatMap(({ detectedBy }) => detectedBy));
    expect([...detecting].filter((name) => !known.includes(name))).toEqual([]);
    expect(known.filter((name) => !detecting.has(name))).toEqual(['no-pods-without-quota', 'nothing-left-behind']);
  });
});
