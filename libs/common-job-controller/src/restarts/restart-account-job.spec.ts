import type { JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { NOW, plainPod } from '../../test-support/plain-pod.ts';
import { jobOf } from '../../test-support/plain-world.ts';
import { restartAccount } from './restart-account.ts';
import { markOf } from '../model/restart-records.ts';
import type { WorkloadObject } from '../workloads/workloads.ts';

interface Seen {
  readonly pod: string;
  readonly inPlace?: number;
  readonly failed?: number;
  readonly job?: string;
  readonly isTaken?: boolean;
  readonly state?: 'running' | 'pending' | 'succeeded';
}

const TAKEN = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' } as const;

function countedAfter(before: JobStatus, seen: Seen): JobStatus {
  const { pod, inPlace = 0, failed = 0, job: uid = 'job', isTaken = false, state = 'running' } = seen;
  const job = jobOf({ status: before });
  const [worker] = job.roles;
  const role = { ...worker!, identity: { kind: 'Job', labels: {}, spec: {} } } as const;
  const spec = { podFailurePolicy: {} };
  const workload: WorkloadObject = { metadata: { name: 'job-worker', uid }, spec, status: { failed } };
  const plain = plainPod({ uid: pod, restarts: inPlace });
  const newest = isTaken ? { ...plain, status: { ...plain.status, conditions: [TAKEN] } } : plain;
  const wanted = [{ role, index: 0, state, pod: newest, workload } as const];
  const account = restartAccount({ ...job, roles: [role] }, { wanted, surplus: [] }, NOW);
  const { restartCount, disruptionCount, restarts, causes } = account;
  expect(causes.recreated.length).toBe(disruptionCount - (before.disruptionCount ?? 0));
  return { restartCount, disruptionCount, restarts };
}

it("does not count a disruption of a StatefulSet's pod, which the StatefulSet recreates", () => {
  const job = jobOf();
  const [worker] = job.roles;
  const role = { ...worker!, identity: { kind: 'StatefulSet', labels: {}, spec: {} } } as const;
  const pod = plainPod({ deleted: -1, disrupted: true });
  const wanted = [{ role, index: 0, state: 'terminating', pod } as const];
  const account = restartAccount({ ...job, roles: [role] }, { wanted, surplus: [] }, NOW);
  expect(account).toMatchObject({ restartCount: 0, disruptionCount: 0, restarts: [] });
});

describe('restartAccount of a role that a Job runs', () => {
  it.each<[string, Seen[], number]>([
    [
      'each restart in place once',
      [
        { pod: 'a', inPlace: 1 },
        { pod: 'a', inPlace: 3 },
        { pod: 'a', inPlace: 3 },
      ],
      3,
    ],
    ['replaced pods', [{ pod: 'a' }, { pod: 'b', failed: 1 }, { pod: 'c', failed: 2 }], 2],
    [
      'a replaced pod whose in-place count starts again at 0',
      [
        { pod: 'a', inPlace: 2 },
        { pod: 'b', failed: 1 },
      ],
      3,
    ],
    [
      'in-place restarts of the replacement pod',
      [
        { pod: 'a', inPlace: 2 },
        { pod: 'b', inPlace: 1, failed: 1 },
        { pod: 'b', inPlace: 2, failed: 1 },
      ],
      5,
    ],
    [
      'no pod that a user deleted, and the restarts of the next one',
      [
        { pod: 'a', inPlace: 2 },
        { pod: 'b', inPlace: 1 },
      ],
      3,
    ],
    [
      'the pods of a recreated Job',
      [{ pod: 'a' }, { pod: 'b', failed: 1 }, { pod: 'c', job: 'another' }, { pod: 'd', job: 'another', failed: 1 }],
      2,
    ],
    [
      "nothing twice when the Job's status is late",
      [
        { pod: 'b', inPlace: 1, failed: 1 },
        { pod: 'b', inPlace: 1 },
        { pod: 'b', inPlace: 1, failed: 1 },
      ],
      2,
    ],
  ])('counts %s', (_case, seen, restartCount) => {
    expect(seen.reduce(countedAfter, {}).restartCount).toBe(restartCount);
  });

  it.each<[string, Seen[], expected: Pick<JobStatus, 'restartCount' | 'disruptionCount'>]>([
    [
      'each disrupted pod once',
      [
        { pod: 'a', isTaken: true },
        { pod: 'a', isTaken: true },
        { pod: 'b', state: 'pending' },
        { pod: 'b', isTaken: true },
      ],
      { restartCount: 0, disruptionCount: 2 },
    ],
    [
      'a failure separately',
      [{ pod: 'a', isTaken: true }, { pod: 'b' }, { pod: 'c', failed: 1 }, { pod: 'c', failed: 1, isTaken: true }],
      { restartCount: 1, disruptionCount: 2 },
    ],
    [
      'a failure seen in the same run separately',
      [{ pod: 'a' }, { pod: 'b', failed: 1, isTaken: true }],
      { restartCount: 1, disruptionCount: 1 },
    ],
    [
      'a pod once, even if its eviction is cancelled and requested again',
      [{ pod: 'a', isTaken: true }, { pod: 'a' }, { pod: 'a', isTaken: true }],
      { restartCount: 0, disruptionCount: 1 },
    ],
    [
      'no pod disrupted after it succeeded',
      [{ pod: 'a', isTaken: true, state: 'succeeded' }],
      { restartCount: 0, disruptionCount: 0 },
    ],
  ])('counts disruptions that the Job ignores: %s', (_case, seen, expected) => {
    expect(seen.reduce(countedAfter, {})).toMatchObject(expected);
  });

  it('removes the record of a disruption once the next pod runs', () => {
    const taken = countedAfter({}, { pod: 'a', isTaken: true });
    expect(taken.restarts).toStrictEqual([{ role: 'Worker', indexes: '0', marks: markOf('a'), replaced: true }]);
    expect(countedAfter(taken, { pod: 'b', state: 'pending' }).restarts).toEqual(taken.restarts);
    expect(countedAfter(taken, { pod: 'b' }).restarts).toEqual([]);
    expect(countedAfter(taken, { pod: 'b', state: 'succeeded' }).restarts).toEqual([]);
  });

  it('continues from a legacy status with one sum for the Job', () => {
    const before = { restartCount: 3, restarts: [{ pod: 'job-worker', uid: 'job', containerRestarts: 3 }] };
    const same = countedAfter(before, { pod: 'b', inPlace: 1, failed: 2 });
    expect(same.restartCount).toBe(3);
    expect(countedAfter(same, { pod: 'c', failed: 3 }).restartCount).toBe(4);
  });
});
