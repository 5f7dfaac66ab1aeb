import type { Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { PodPlaces } from './pod-places.ts';

const pod = (name: string, isGoing = false): Pod => ({
  metadata: { namespace: 'team', name, uid: `uid of ${name}`, ...(isGoing && { deletionTimestamp: 'now' }) },
});

/** The suite's names for the pods of the last observation. */
function called(...sights: Pod[][]): string[] {
  const places = new PodPlaces();
  const names = sights.map((pods) => places.namesOf(pods));
  return (sights.at(-1) ?? []).map(({ metadata }) => names.at(-1)?.get(metadata?.uid ?? '') ?? '');
}

describe('PodPlaces', () => {
  it('gives a recreated pod the name of the first pod in its place', () => {
    const first = [pod('a-0'), pod('a-1')];
    expect(called(first, [pod('a-0', true), pod('a-1'), pod('a-2')])).toEqual(['a-0', 'a-1', 'a-0']);
    expect(called(first, [pod('a-1')], [pod('a-1'), pod('a-2')])).toEqual(['a-1', 'a-0']);
  });

  it('gives additional pods new places', () => {
    expect(called([pod('a-0')], [pod('a-0'), pod('a-4')])).toEqual(['a-0', 'a-1']);
  });

  it('orders pods by their numbers, in whatever order they are observed', () => {
    expect(called([pod('a-1')], [pod('a-1'), pod('a-0')])).toEqual(['a-1', 'a-0']);
    expect(called([pod('a-0'), pod('a-1')], [pod('a-3')], [pod('a-3'), pod('a-2')])).toEqual(['a-1', 'a-0']);
  });

  it('separates the pods of each prefix', () => {
    expect(called([pod('a-0'), pod('b-0')], [pod('b-0'), pod('a-1'), pod('b-1')])).toEqual(['b-0', 'a-0', 'b-1']);
  });
});
