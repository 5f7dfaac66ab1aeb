import type { RestartGroup } from '@muster/job-api';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { jobOf } from '../../test-support/plain-world.ts';
import { markOf, restartGroups, restartRecords } from './restart-records.ts';

const ROLES = [
  { name: 'Master', replicas: 1 },
  { name: 'Worker', replicas: 20 },
];

function readOf(restarts: RestartGroup[]): Record<string, object> {
  const records = restartRecords(jobOf({ roles: ROLES, status: { restarts } }));
  return Object.fromEntries([...records].map(([pod, { replica: _replica, ...counted }]) => [pod, counted]));
}

describe('restartGroups', () => {
  it('groups replicas with equal counts, and reads the groups back unchanged', () => {
    const [role] = jobOf({ roles: [{ name: 'Worker', replicas: 20 }] }).roles;
    if (role === undefined) throw new Error('the job has no role');
    const record = (index: number, containerRestarts: number) => ({
      replica: { role, index },
      mark: markOf(`uid-${index}`),
      containerRestarts,
    });
    const groups = restartGroups([record(3, 1), record(0, 1), record(7, 2), record(1, 1)]);
    expect(groups).toEqual([
      {
        role: 'Worker',
        indexes: '0-1,3',
        marks: ['uid-0', 'uid-1', 'uid-3'].map(markOf).join(''),
        containerRestarts: 1,
      },
      { role: 'Worker', indexes: '7', marks: markOf('uid-7'), containerRestarts: 2 },
    ]);
    expect(readOf(groups)).toEqual({
      'Worker 0': { mark: markOf('uid-0'), containerRestarts: 1 },
      'Worker 1': { mark: markOf('uid-1'), containerRestarts: 1 },
      'Worker 3': { mark: markOf('uid-3'), containerRestarts: 1 },
      'Worker 7': { mark: markOf('uid-7'), containerRestarts: 2 },
    });
  });
});

describe('restartRecords', () => {
  it.each<[string, RestartGroup, Record<string, object>]>([
    [
      'the earlier format with one record per pod',
      { pod: 'job-worker-12', uid: 'a' },
      { 'Worker 12': { mark: markOf('a') } },
    ],
    ['no record for a pod that no replica has', { pod: 'stranger', uid: 'a' }, {}],
    ['no record for a role that the job does not have', { role: 'PS', indexes: '0', marks: 'abcd' }, {}],
    ['no record for an invalid index', { role: 'Worker', indexes: 'many', marks: 'abcd' }, {}],
    [
      'an empty mark where the mark is missing',
      { role: 'Worker', indexes: '0-1', marks: 'abcd' },
      { 'Worker 0': { mark: 'abcd' }, 'Worker 1': { mark: '' } },
    ],
  ])('reads %s', (_case, group, records) => {
    expect(readOf([group])).toEqual(records);
  });
});

describe('markOf', () => {
  it('has four characters and distinguishes UIDs', () => {
    const marks = Array.from({ length: 200 }, () => markOf(randomUUID()));
    expect(marks.every((mark) => /^[\w-]{4}$/.test(mark))).toBe(true);
    expect(new Set(marks).size).toBeGreaterThan(197);
    expect(markOf('uid-1')).not.toBe(markOf('uid-2'));
  });
});
