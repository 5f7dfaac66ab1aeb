import type { KubeObject, Pod } from '@muster/job-api';
import type { Cache } from '@muster/kube';
import { expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { observe, type JobCaches } from './observe.ts';
import { newWorld } from '../world/world.ts';

function cacheOf<T extends KubeObject>(objects: readonly T[]): Cache<T> {
  return { get: () => objects[0], byIndex: () => objects } as unknown as Cache<T>;
}

it("measures the age of the framework's states as well as of its own", () => {
  const manifest = {
    metadata: { name: 'job', namespace: 'team', uid: 'a', deletionTimestamp: '2030-01-01T12:00:00Z' },
  };
  const pod: Pod = { metadata: { uid: 'b' } };
  const caches: JobCaches = {
    index: 'job',
    ...{ jobs: cacheOf([manifest]), pods: cacheOf([pod]), services: cacheOf([]) },
    ...{ nodes: undefined, ownedResources: [], references: [] },
  };
  const adapter = {
    ...plainAdapter({}),
    agingStates: ({ metadata }: KubeObject, pods: readonly Pod[]) =>
      pods.map((each) => `${metadata?.uid} with ${each.metadata?.uid}`),
  };
  const ageStates = (states: readonly string[]) => new Map(states.map((state, at) => [state, at]));
  const { stateAges: _stateAges, ...known } = newWorld(manifest, 0);
  const world = observe(adapter, caches, 'team/job', { ...known, ageStates });
  expect([...(world?.stateAges ?? [])]).toEqual([
    ['deletion of a', 0],
    ['no report of the scheduler on b', 1],
    ['a with b', 2],
  ]);
});
