import type { Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import type { ReplicaRole } from '../model/training-job.ts';
import { rememberedIndexes, roleIndexes } from './scale-down.ts';

const role = (replicas: number): ReplicaRole => ({
  name: 'Worker',
  replicas,
  template: {},
  restartPolicy: 'OnFailure',
  endsByItself: true,
  containerName: 'main',
});

function pods(...indexes: number[]): Pod[] {
  return indexes.map((index) => ({
    metadata: { name: `job-worker-${index}` },
  }));
}

const leaving = (index: number): Pod => {
  const [pod] = pods(index);
  return { metadata: { ...pod?.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
};

describe('roleIndexes', () => {
  it.each<[string, number, string | undefined, Pod[], string[], number[]]>([
    ['are the first n of a new role', 3, undefined, [], [], [0, 1, 2]],
    ['are none of a role without replicas', 0, undefined, pods(0, 1), [], []],
    ['lose the highest when the role shrinks', 2, undefined, pods(0, 1, 2, 3), [], [0, 1]],
    ['get the lowest free ones when it grows', 4, undefined, pods(0, 2), [], [0, 1, 2, 3]],
    ['lose the named one instead of the highest', 3, undefined, pods(0, 1, 2, 3), ['job-worker-1'], [0, 2, 3]],
    ['lose the first one only when it is named', 1, undefined, pods(0, 1), ['job-worker-0'], [1]],
    [
      'lose no more than asked for, though more are named',
      2,
      undefined,
      pods(0, 1, 2),
      ['job-worker-0', 'job-worker-1'],
      [1, 2],
    ],
    ['lose named ones first and then the highest', 1, undefined, pods(0, 1, 2, 3), ['job-worker-0'], [1]],
    ['do not change for a name when nothing is to go', 3, undefined, pods(0, 1, 2), ['job-worker-1'], [0, 1, 2]],
    ['keep the holes while the name stands', 3, '0,2-3', pods(0, 2, 3), ['job-worker-1'], [0, 2, 3]],
    ['keep the holes when a pod is lost', 3, '0,2-3', pods(0, 3), [], [0, 2, 3]],
    ['fill the lowest hole when the role grows', 4, '0,2,4', pods(0, 2, 4), [], [0, 1, 2, 4]],
    ['keep the holes when the highest goes', 2, '0,2-3', pods(0, 2, 3), [], [0, 2]],
    ['are those on record, though the pod that was to go is still there', 2, '0,2', pods(0, 1, 2), [], [0, 2]],
    ['are not held by a pod that is going', 2, undefined, [...pods(0, 1), leaving(2)], [], [0, 1]],
    ['do not believe nonsense', 2, '0,7-99999999999', [], [], [0, 7]],
  ])('%s', (_case, replicas, remembered, own, named, expected) => {
    const byIndex = new Map(own.map((pod) => [Number(pod.metadata?.name?.split('-').at(-1)), pod]));
    const isFree = () => false;
    expect(roleIndexes(role(replicas), remembered, byIndex, { named: new Set(named), stays: isFree })).toEqual(
      expected,
    );
  });
});

describe('roleIndexes of a role with a pod that has to stay', () => {
  const stays = (index: number) => index === 2;

  it.each<[string, number, string[], number[]]>([
    ['lose the highest of the others', 2, [], [0, 2]],
    ['lose another when it is named', 2, ['job-worker-2'], [0, 2]],
    ['lose the others that are named', 2, ['job-worker-2', 'job-worker-0'], [1, 2]],
    ['keep it alone at last', 1, [], [2]],
    ['lose it when none is left', 0, [], []],
  ])('%s', (_case, replicas, named, expected) => {
    const own = new Map(pods(0, 1, 2).map((pod, index) => [index, pod]));
    expect(roleIndexes(role(replicas), undefined, own, { named: new Set(named), stays })).toEqual(expected);
  });
});

describe('roleIndexes of an elastic role', () => {
  const isIdle = (index: number) => index === 1 || index === 2;

  it.each<[string, number, string[], number[]]>([
    ['lose those that do not run, the highest of them first', 3, [], [0, 1, 3]],
    ['lose the named one before those', 3, ['job-worker-3'], [0, 1, 2]],
    ['lose the highest of the others at last', 1, [], [0]],
    ['keep those that do not run where nothing is to go', 4, [], [0, 1, 2, 3]],
  ])('%s', (_case, replicas, named, expected) => {
    const own = new Map(pods(0, 1, 2, 3).map((pod, index) => [index, pod]));
    const stays = (index: number) => index === 0;
    expect(roleIndexes(role(replicas), undefined, own, { named: new Set(named), stays, isIdle })).toEqual(expected);
  });
});

const remembered = (...indexes: number[]) =>
  rememberedIndexes(
    {},
    indexes.map((index) => ({ index })),
  );

describe('rememberedIndexes', () => {
  it('are none without holes, and the set with holes', () => {
    expect(remembered(0, 1, 2)).toBeUndefined();
    expect(remembered()).toBeUndefined();
    expect(remembered(0, 2, 3)).toBe('0,2-3');
    expect(remembered(1)).toBe('1');
  });

  it('are all of a role with unique names, and nothing where it has no replicas', () => {
    const identity = { kind: 'UniqueNames', prefix: 'job-w', overlap: true } as const;
    expect(rememberedIndexes({ identity }, [{ index: 0 }, { index: 1 }])).toBe('0-1');
    expect(rememberedIndexes({ identity }, [])).toBeUndefined();
  });
});
