import { describe, expect, it } from 'vitest';
import { withSearch } from './dns-search.ts';

const SEARCH = 'mnist.team.svc.cluster.local';
const entries = (count: number, length = 10) =>
  Array.from({ length: count }, (_entry, index) => `${index}`.padStart(2, '0').padEnd(length, 'x'));
const searches = (has: string[] | undefined) =>
  withSearch({ containers: [], dnsConfig: { nameservers: ['10.0.0.1'], ...(has && { searches: has }) } }, SEARCH)
    .dnsConfig;

describe('withSearch', () => {
  it.each([
    ['to no others', undefined],
    ['to others', ['corp.example']],
    ['to 31 others', entries(31)],
    // 8 entries, 8 blanks and the new one: 2048 characters.
    ['to others up to the length limit', [...entries(7, 252), 'x'.repeat(2048 - 7 * 252 - 8 - SEARCH.length)]],
  ])('adds the entry %s', (_what, has) => {
    expect(searches(has)).toEqual({ nameservers: ['10.0.0.1'], searches: [...(has ?? []), SEARCH] });
  });

  it.each([
    ['the entry exists', [SEARCH, 'corp.example']],
    ['there are 32 already', entries(32)],
    ['the list would be too long', [...entries(7, 252), 'x'.repeat(2049 - 7 * 252 - 8 - SEARCH.length)]],
  ])('does not change the list if %s', (_what, has) => {
    expect(searches(has)).toEqual({ nameservers: ['10.0.0.1'], searches: has });
  });
});
