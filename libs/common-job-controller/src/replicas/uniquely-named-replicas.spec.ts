import type { Pod } from '@muster/job-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UniqueNames } from '../model/replica-identity.ts';
import type { ReplicaRole } from '../model/training-job.ts';
import { formatIndexes } from '../model/index-set.ts';
import { uniquelyNamedReplicas, type RolePod } from './uniquely-named-replicas.ts';

function roleOf(replicas: number, names: Partial<UniqueNames> = {}, podsPerReplica = 1) {
  const role: Omit<ReplicaRole, 'identity'> = {
    ...{ name: 'worker', replicas, podsPerReplica, restartPolicy: 'Always', endsByItself: false, containerName: 'ray' },
    template: { spec: { containers: [] } },
  };
  const identity: UniqueNames = { kind: 'UniqueNames', prefix: 'c-worker', overlap: true, ...names };
  return { ...role, identity };
}

function pod(
  index: number | undefined,
  { terminating = false, dismissed = false, name = `c-worker-${index}` } = {},
): RolePod {
  const metadata: Pod['metadata'] = { name, ...(terminating && { deletionTimestamp: '2030-01-01T00:00:00Z' }) };
  return { pod: { metadata }, index, isDismissed: dismissed };
}

interface Case {
  readonly role: ReturnType<typeof roleOf>;
  readonly indexes?: string;
  readonly startedIndexes?: string;
  readonly nextOrdinal?: number;
  readonly isOwnRecord?: boolean;
  readonly taken?: readonly number[];
  readonly pods?: readonly RolePod[];
}

/** Formats replicas as `0 running`, or `0 running as <name>` for a pod without its index. */
function shown({ role, pods = [], isOwnRecord = true, taken = [], ...record }: Case): string[] {
  const isTaken = (index: number) => taken.includes(index);
  return uniquelyNamedReplicas(role, { ...record, isOwnRecord, isTaken }, pods, () => 'running').map(
    ({ index, state, blockedBy, pod: there }) => {
      const name = there?.metadata?.name ?? `c-worker-${index}`;
      return `${index} ${blockedBy ?? state}${name === `c-worker-${index}` ? '' : ` as ${name}`}`;
    },
  );
}

describe('uniquelyNamedReplicas', () => {
  it.each<[string, Case, string[]]>([
    ['a new role', { role: roleOf(2) }, ['0 missing', '1 missing']],
    ['pods that could not be created yet', { role: roleOf(2), indexes: '0-1' }, ['0 missing', '1 missing']],
    [
      'a lost pod',
      { role: roleOf(2), indexes: '0-1', startedIndexes: '0-1', pods: [pod(1)] },
      ['1 running', '2 missing'],
    ],
    ['a terminating pod', { role: roleOf(1), indexes: '0', pods: [pod(0, { terminating: true })] }, ['1 missing']],
    [
      'a terminating pod in a role without overlap',
      { role: roleOf(1, { overlap: false }), indexes: '0', pods: [pod(0, { terminating: true })] },
      ['0 terminating'],
    ],
    [
      'a dismissed pod in a role without overlap',
      { role: roleOf(1, { overlap: false }), indexes: '0', pods: [pod(0, { dismissed: true })] },
      ['1 name'],
    ],
    [
      'a named pod in a role that shrank',
      { role: roleOf(1), indexes: '0-1', pods: [pod(0, { dismissed: true }), pod(1)] },
      ['1 running'],
    ],
    [
      'a named pod in a role of unchanged size',
      { role: roleOf(2), indexes: '0-1', pods: [pod(0, { dismissed: true }), pod(1)] },
      ['1 running', '2 missing'],
    ],
    ['a smaller role', { role: roleOf(1), indexes: '3,5', pods: [pod(3), pod(5)] }, ['3 running']],
    [
      'a smaller role that loses named pods only',
      { role: roleOf(1, { losesNamedOnly: true }), indexes: '3,5', pods: [pod(3), pod(5)] },
      ['3 running', '5 running'],
    ],
    [
      'a name that another owner holds',
      { role: roleOf(1), indexes: '0', nextOrdinal: 1, taken: [0, 1] },
      ['2 missing'],
    ],
    ['used numbers', { role: roleOf(1), nextOrdinal: 7 }, ['7 missing']],
    [
      'a restarted operator that does not know whether a pod existed',
      { role: roleOf(1), indexes: '0', isOwnRecord: false },
      ['1 missing'],
    ],
    [
      'pods of another operator',
      { role: roleOf(3), pods: [pod(undefined, { name: 'b' }), pod(undefined, { name: 'a' })] },
      ['0 running as a', '1 running as b', '2 missing'],
    ],
    [
      'pods of another operator, one of them lost',
      {
        role: roleOf(2),
        indexes: '0-1',
        startedIndexes: '0-1',
        nextOrdinal: 2,
        pods: [pod(undefined, { name: 'b' })],
      },
      ['0 running as b', '2 missing'],
    ],
    [
      'replicas of two pods, one of which has lost a pod',
      { role: roleOf(4, {}, 2), indexes: '0-3', startedIndexes: '0-3', nextOrdinal: 4, pods: [pod(0), pod(2), pod(3)] },
      ['2 running', '3 running', '4 missing', '5 missing'],
    ],
  ])('assigns indexes with %s', (_case, given, expected) => {
    expect(shown(given)).toEqual(expected);
  });

  it('never assigns an index twice, with random losses and sizes', () => {
    const step = fc.record({
      replicas: fc.nat(4),
      made: fc.array(fc.boolean(), { maxLength: 4 }),
      lost: fc.array(fc.nat(5), { maxLength: 3 }),
      restarts: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let alive: number[] = [];
        const used = new Set<number>();
        let record: Pick<Case, 'indexes' | 'startedIndexes' | 'nextOrdinal'> = {};
        for (const { replicas, made, lost, restarts } of steps) {
          const pods = alive.map((index) => pod(index));
          const found = uniquelyNamedReplicas(
            roleOf(replicas),
            { ...record, isOwnRecord: !restarts, isTaken: () => false },
            pods,
            () => 'running',
          );
          expect(found).toHaveLength(replicas);
          const indexes = found.map(({ index }) => index);
          const started = found.filter(({ hasStarted }) => hasStarted === true).map(({ index }) => index);
          record = {
            indexes: formatIndexes(indexes),
            startedIndexes: formatIndexes(started),
            nextOrdinal: Math.max(record.nextOrdinal ?? 0, ...indexes.map((index) => index + 1)),
          };
          const created = found.filter(({ state }, at) => state === 'missing' && made[at] === true);
          for (const { index } of created) {
            expect(used.has(index)).toBe(false);
            used.add(index);
          }
          const kept = alive.filter((index) => indexes.includes(index));
          alive = [...kept, ...created.map(({ index }) => index)];
          // The operator observes a pod at least once before it is lost.
          alive = alive.filter((index, at) => !kept.includes(index) || !lost.includes(at));
        }
      }),
    );
  });
});

describe('the positions of replicas with unique names', () => {
  const positionOf = ({ metadata }: Pod) => {
    const { replica, host = '0' } = metadata?.labels ?? {};
    return replica === undefined ? undefined : { replica: Number(replica), host: Number(host) };
  };
  const positioned = (index: number | undefined, replica: number, host = 0, name = `c-worker-${index}`): RolePod => {
    const labels = { replica: String(replica), host: String(host) };
    return { ...pod(index, { name }), pod: { metadata: { name, labels } } };
  };

  /** Formats replicas as `<index> <state> at <replica>/<host>`. */
  function shownPositions({ role, pods = [], isOwnRecord = true, ...record }: Case): string[] {
    const known = { ...record, isOwnRecord, isTaken: () => false };
    const replicas = uniquelyNamedReplicas(role, known, pods, () => 'running');
    return replicas.map(({ index, state, position }) => `${index} ${state} at ${position?.replica}/${position?.host}`);
  }

  const ONE = (replicas: number) => roleOf(replicas, { positionOf });
  const TWO = (replicas: number) => roleOf(replicas, { positionOf }, 2);

  it.each<[string, Case, string[]]>([
    ['are assigned in a new role', { role: ONE(2) }, ['0 missing at 0/0', '1 missing at 1/0']],
    [
      'are reused when a lost pod is replaced',
      {
        ...{ role: ONE(3), indexes: '0-2', startedIndexes: '0-2', nextOrdinal: 3 },
        pods: [positioned(0, 0), positioned(2, 2)],
      },
      ['0 running at 0/0', '2 running at 2/0', '3 missing at 1/0'],
    ],
    [
      'are reused one by one when several pods are lost',
      {
        ...{ role: ONE(3), indexes: '2-4', startedIndexes: '0-2', nextOrdinal: 5 },
        pods: [positioned(2, 2), positioned(4, 1)],
      },
      ['2 running at 2/0', '3 missing at 0/0', '4 running at 1/0'],
    ],
    [
      'are assigned to pods without one',
      { role: ONE(2), indexes: '0', nextOrdinal: 1, pods: [pod(0)] },
      ['0 running at 0/0', '1 missing at 1/0'],
    ],
    [
      'are reused for a replica of two pods that replaces one with a lost pod',
      {
        ...{ role: TWO(4), indexes: '0-3', startedIndexes: '0-3', nextOrdinal: 4 },
        pods: [positioned(0, 0, 0), positioned(2, 1, 0), positioned(3, 1, 1)],
      },
      ['2 running at 1/0', '3 running at 1/1', '4 missing at 0/0', '5 missing at 0/1'],
    ],
    [
      'are shared by a replica of two pods, one not created yet',
      { role: TWO(2), indexes: '2-3', nextOrdinal: 4, pods: [positioned(2, 5, 0)] },
      ['2 running at 5/0', '3 missing at 5/1'],
    ],
    [
      'group the pods of a replica that another operator named',
      {
        role: TWO(4),
        pods: [
          positioned(undefined, 1, 0, 'a'),
          positioned(undefined, 0, 1, 'b'),
          positioned(undefined, 0, 0, 'c'),
          positioned(undefined, 1, 1, 'd'),
        ],
      },
      ['0 running at 0/0', '1 running at 0/1', '2 running at 1/0', '3 running at 1/1'],
    ],
    [
      'detect a lost pod in a replica of another operator',
      { role: TWO(4), pods: ['a', 'b', 'c'].map((name, at) => positioned(undefined, at === 0 ? 0 : 1, at % 2, name)) },
      ['2 running at 1/0', '3 running at 1/1', '4 missing at 0/0', '5 missing at 0/1'],
    ],
    [
      'are assigned to existing pods of another operator without one',
      { role: TWO(4), isOwnRecord: false, pods: ['a', 'b', 'c'].map((name) => pod(undefined, { name })) },
      ['0 running at 0/0', '1 running at 0/1', '2 running at 1/0', '3 missing at 1/1'],
    ],
    [
      'keep both pods if two have the same position',
      { role: ONE(2), pods: [positioned(undefined, 1, 0, 'a'), positioned(undefined, 1, 0, 'b')] },
      ['1 running at 1/0', '2 running at 1/0'],
    ],
  ])('%s', (_case, given, expected) => {
    expect(shownPositions(given)).toEqual(expected);
  });
});
