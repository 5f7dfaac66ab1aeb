import { RAY_CLUSTERS } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { CONCERNS, type Kinds } from './concern.ts';
import type { ConformanceCase } from './conformance-case.ts';
import type { ConformanceFramework } from './conformance-framework.ts';
import { CONFORMANCE_TABLE, type ConformanceTable } from './conformance-table.ts';
import { playedCases } from './played-cases.ts';

const namesOf = (table: ConformanceTable) => Object.values(table).flatMap((cases) => cases.map(({ name }) => name));
const kindsOf = ({ concern, also = [] }: ConformanceCase): Kinds[] => [CONCERNS[concern].kinds, ...also];
const all = namesOf(CONFORMANCE_TABLE);

const ownedJobs = { resource: RAY_CLUSTERS } as NonNullable<ConformanceFramework['ownedJobs']>;

const casesFor = (...kinds: Kinds[]) =>
  Object.values(CONFORMANCE_TABLE)
    .flat()
    .filter((each) => kindsOf(each).some((one) => kinds.includes(one)))
    .map(({ name }) => name);

describe('the cases of the conformance suite', () => {
  it('have unique names', () => {
    expect([...new Set(all)]).toEqual(all);
  });
});

describe('playedCases', () => {
  it.each([{}, { isReference: true }, { hasOwnedResources: true }])('are all cases with the setting %o', (each) => {
    expect(playedCases({ ...each, leadingRole: 'Chief' }, 'all')).toEqual(CONFORMANCE_TABLE);
  });

  it('exclude those of the start order for a kind without a leading role', () => {
    const ordered = casesFor('kinds with a leading role');
    expect(ordered).not.toEqual([]);
    expect(namesOf(playedCases({ isReference: true }, 'all'))).toEqual(all.filter((name) => !ordered.includes(name)));
  });

  it('are all cases for the reference kind', () => {
    expect(playedCases({ isReference: true, leadingRole: 'Chief' }, 'chosen')).toEqual(CONFORMANCE_TABLE);
  });

  it('are those that an adapter affects for any other kind, and those of its special features', () => {
    expect(namesOf(playedCases({}, 'chosen'))).toEqual(casesFor('every kind', 'kinds that are not plain'));
    expect(namesOf(playedCases({ hasOwnedResources: true }, 'chosen'))).toEqual(
      casesFor('every kind', 'kinds that are not plain', 'kinds with owned resources'),
    );
    expect(namesOf(playedCases({ hasUniqueNames: true }, 'chosen'))).toEqual(
      casesFor('every kind', 'kinds that are not plain', 'kinds with unique names'),
    );
    expect(namesOf(playedCases({ leadingRole: 'Chief' }, 'chosen'))).toEqual(
      casesFor('every kind', 'kinds that are not plain', 'kinds with a leading role'),
    );
    expect(namesOf(playedCases({ ownedJobs }, 'chosen'))).toEqual(
      casesFor('every kind', 'kinds that are not plain', 'kinds that own jobs'),
    );
  });

  it('are those of roles, outcome and start order for a kind whose adapter adds nothing else, and all in full runs', () => {
    const led = { isPlain: true, leadingRole: 'Master' };
    expect(namesOf(playedCases(led, 'chosen'))).toEqual(casesFor('every kind', 'kinds with a leading role'));
    expect(playedCases(led, 'all')).toEqual(CONFORMANCE_TABLE);
  });

  it('are more than 20 for any kind, and differ in number by its features', () => {
    const numbers = [
      {},
      { ownedJobs },
      { hasUniqueNames: true },
      { hasOwnedResources: true },
      { isReference: true },
    ].map((each) => namesOf(playedCases(each, 'chosen')).length);
    expect(numbers[0]).toBeGreaterThan(20);
    expect([...numbers].sort((a, b) => a - b)).toEqual(numbers);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
