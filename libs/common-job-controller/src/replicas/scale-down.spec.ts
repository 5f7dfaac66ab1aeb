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

const terminating = (index: number): Pod => {
  const [pod] = pods(index);
  return { metadata: { ...pod?.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
};

describe('roleIndexes', () => {
  it.each<[string, number, string | undefined, Pod[], string[], number[]]>([
    ['are 0 to n - 1 in a new role', 3, undefined, [], [], [0, 1, 2]],
    ['are empty for a role without replicas', 0, undefined, pods(0, 1), [], []],
    ['drop the highest when the role shrinks', 2, undefined, pods(0, 1, 2, 3), [], [0, 1]],
    ['add the lowest free ones when the role grows', 4, undefined, pods(0, 2), [], [0, 1, 2, 3]],
    ['drop the named one instead of the highest', 3, undefined, pods(0, 1, 2, 3), ['job-worker-1'], [0, 2, 3]],
    ['drop index 0 only if it is named', 1, undefined, pods(0, 1), ['job-worker-0'], [1]],
    [
      'drop no more than necessary if more are named',
      2,
      undefined,
      pods(0, 1, 2),
      ['job-worker-0', 'job-worker-1'],
      [1, 2],
    ],
    ['drop named ones first and then the highest', 1, undefined, pods(0, 1, 2, 3), ['job-worker-0'], [1]],
    ['ignore names when the role does not shrink', 3, undefined, pods(0, 1, 2), ['job-worker-1'], [0, 1, 2]],
    ['keep holes while the name is set', 3, '0,2-3', pods(0, 2, 3), ['job-worker-1'], [0, 2, 3]],
    ['keep holes when a pod is lost', 3, '0,2-3', pods(0, 3), [], [0, 2, 3]],
    ['fill the lowest hole when the role grows', 4, '0,2,4', pods(0, 2, 4), [], [0, 1, 2, 4]],
    ['keep holes when the highest is dropped', 2, '0,2-3', pods(0, 2, 3), [], [0, 2]],
    ['follow the record while the dropped pod still exists', 2, '0,2', pods(0, 1, 2), [], [0, 2]],
    ['ignore a terminating pod', 2, undefined, [...pods(0, 1), terminating(2)], [], [0, 1]],
    ['ignore an invalid record', 2, '0,7-99999999999', [], [], [0, 7]],
  ])('%s', (_case, replicas, remembered, own, named, expected) => {
    const byIndex = new Map(own.map((pod) => [Number(pod.metadata?.name?.split('-').at(-1)), pod]));
    const isFree = () => false;
    expect(roleIndexes(role(replicas), remembered, byIndex, { named: new Set(named), stays: isFree })).toEqual(
      expected,
    );
  });
});

describe('roleIndexes of a role with an indispensable pod', () => {
  const stays = (index: number) => index === 2;

  it.each<[string, number, string[], number[]]>([
    ['drop the highest of the other pods', 2, [], [0, 2]],
    ['drop another pod if the indispensable one is named', 2, ['job-worker-2'], [0, 2]],
    ['drop other pods that are named', 2, ['job-worker-2', 'job-worker-0'], [1, 2]],
    ['keep the indispensable pod last', 1, [], [2]],
    ['drop it if the role has no replicas', 0, [], []],
  ])('%s', (_case, replicas, named, expected) => {
    const own = new Map(pods(0, 1, 2).map((pod, index) => [index, pod]));
    expect(roleIndexes(role(replicas), undefined, own, { named: new Set(named), stays })).toEqual(expected);
  });
});

describe('roleIndexes of an elastic role', () => {
  const isIdle = (index: number) => index === 1 || index === 2;

  it.each<[string, number, string[], number[]]>([
    ['drop replicas that do not run first, from the highest', 3, [], [0, 1, 3]],
    ['drop a named replica before replicas that do not run', 3, ['job-worker-3'], [0, 1, 2]],
    ['drop the highest of the other replicas last', 1, [], [0]],
    ['keep replicas that do not run if the role does not shrink', 4, [], [0, 1, 2, 3]],
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
  it('are undefined without holes, and the set with holes', () => {
    expect(remembered(0, 1, 2)).toBeUndefined();
    expect(remembered()).toBeUndefined();
    expect(remembered(0, 2, 3)).toBe('0,2-3');
    expect(remembered(1)).toBe('1');
  });

  it('are all indexes of a role with unique names, and undefined without replicas', () => {
    const identity = { kind: 'UniqueNames', prefix: 'job-w', overlap: true } as const;
    expect(rememberedIndexes({ identity }, [{ index: 0 }, { index: 1 }])).toBe('0-1');
    expect(rememberedIndexes({ identity }, [])).toBeUndefined();
  });
});
