import { LABELS, type JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { at, type PlainPod } from '../../test-support/plain-pod.ts';
import { namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';
import type { Planned } from '../../test-support/planned.ts';

const ROLES = [
  { name: 'Master', replicas: 1 },
  { name: 'Worker', replicas: 2 },
];
const OOM = { phase: 'Failed', exit: 137, ended: -5 } as const;
const master: PlainPod = { role: 'master' };
const ofJob: PlainWorld = { roles: ROLES, scopes: { '*': 'Job' } };
const ofRole: PlainWorld = { roles: ROLES, scopes: { Worker: 'Role' } };
const before: PlainWorld = { ...ofJob, pods: [master, { index: 0 }, { index: 1 }] };
const failing: PlainPod[] = [master, { index: 0 }, { index: 1, ...OOM }];

const restartingOf = ({ conditions }: JobStatus = {}) =>
  conditions?.find(({ type }) => type === 'Restarting')?.message ?? '';
const restartedBy = ({ counters }: Planned) => counters.filter((name) => name === 'restarted').length;
const attemptsMade = ({ create }: Planned) =>
  create.pods.map(({ metadata }) => [metadata?.name, metadata?.labels?.[LABELS.attempt]]);

describe('groupRestarts: the run that detects the failure', () => {
  it('counts a restart of the job once in the status and deletes all pods', () => {
    const plan = planOf({ ...ofJob, status: statusAfter(before), pods: failing });
    expect(plan.status).toMatchObject({ state: 'Restarting', attempt: 1, restartCount: 1, ready: '0/3' });
    expect(plan.status?.replicaStatuses).toEqual({ Master: {}, Worker: {} });
    expect(plan.status?.restarts).toEqual([{ scope: 'Job', replaced: true, failures: 1 }]);
    expect(namesOf(plan.remove.pods).sort()).toEqual(['job-master-0', 'job-worker-0', 'job-worker-1']);
    expect([plan.create.pods, restartedBy(plan)]).toEqual([[], 1]);
    expect(restartingOf(plan.status)).toBe(
      'job job is restarting all pods of the job (attempt 1) because Worker replica(s) failed. ' +
        'First: pod job-worker-1, container main: exit code 137',
    );
  });

  it('leaves the other roles unchanged if the scope is the role', () => {
    const plan = planOf({ ...ofRole, status: statusAfter({ ...ofRole, pods: before.pods ?? [] }), pods: failing });
    expect(plan.status?.attempt).toBeUndefined();
    expect(plan.status?.replicaStatuses).toEqual({ Master: { active: 1 }, Worker: { attempt: 1 } });
    expect(plan.status?.restarts).toEqual([{ scope: 'Role', role: 'Worker', replaced: true, failures: 1 }]);
    expect(namesOf(plan.remove.pods).sort()).toEqual(['job-worker-0', 'job-worker-1']);
    expect(restartingOf(plan.status)).toContain('all pods of role Worker (attempt 1)');
  });

  it.each<[string, PlainWorld, restarts: number, disruptions: number]>([
    [
      'several failures at once as one restart',
      {
        pods: [
          { ...master, ...OOM },
          { index: 0, ...OOM },
        ],
      },
      1,
      0,
    ],
    [
      'the first failure, which is a disruption',
      {
        pods: [
          { index: 0, phase: 'Failed', disrupted: true },
          { index: 1, ...OOM },
        ],
      },
      0,
      1,
    ],
    ['a failure that its restart policy would not restart', { pods: [{ phase: 'Failed', exit: 1 }] }, 1, 0],
    [
      'in-place restarts as well',
      {
        pods: [
          { index: 0, restarts: 2 },
          { index: 1, ...OOM },
        ],
      },
      3,
      0,
    ],
    [
      'a restart of the job that includes that of a role',
      {
        scopes: { Master: 'Job', Worker: 'Role' },
        pods: [
          { ...master, ...OOM },
          { index: 0, ...OOM },
        ],
      },
      1,
      0,
    ],
    [
      'each restarted role',
      {
        scopes: { '*': 'Role' },
        pods: [
          { ...master, ...OOM },
          { index: 0, ...OOM },
        ],
      },
      2,
      0,
    ],
  ])('counts %s', (_case, world, restartCount, disruptionCount) => {
    const status = { startTime: at(-60), state: 'Running' };
    const plan = planOf({ ...ofJob, status, ...world });
    expect(plan.status).toMatchObject({ restartCount });
    expect(plan.status?.disruptionCount ?? 0).toBe(disruptionCount);
    expect(restartedBy(plan)).toBe(restartCount + disruptionCount);
  });

  it.each<[string, PlainWorld, string]>([
    ['the limit is reached', { runPolicy: { backoffLimit: 0 } }, 'Failed'],
    [
      'the job succeeds',
      {
        pods: [
          { ...master, phase: 'Succeeded' },
          { index: 1, ...OOM },
        ],
      },
      'Succeeded',
    ],
    [
      'another failure ends the job',
      {
        scopes: { Worker: 'Job' },
        pods: [
          { ...master, phase: 'Failed', exit: 1 },
          { index: 1, ...OOM },
        ],
      },
      'Failed',
    ],
  ])('restarts nothing when %s', (_case, world, state) => {
    const plan = planOf({ ...ofJob, status: statusAfter(before), pods: failing, ...world });
    expect(plan.status).toMatchObject({ state, restartCount: 0 });
    expect(plan.status?.attempt).toBeUndefined();
    expect(restartedBy(plan)).toBe(0);
  });

  it('recreates pods that succeeded, and pods that cannot rejoin a running job', () => {
    const roles = [
      { name: 'Master', replicas: 1 },
      { name: 'Worker', replicas: 2, restartPolicy: 'Never', cannotRejoin: 'It cannot.' } as const,
    ];
    const pods: PlainPod[] = [master, { index: 0, phase: 'Succeeded' }, { index: 1 }];
    const ran = statusAfter({ ...ofJob, roles, pods });
    expect(ran.replicaStatuses?.['Worker']).toMatchObject({ succeededIndexes: '0', startedIndexes: '0-1' });
    const lost = planOf({ ...ofJob, roles, status: ran, pods: [master] });
    expect(lost.status).toMatchObject({ attempt: 1, restartCount: 0, disruptionCount: 1 });
    expect(restartingOf(lost.status)).toContain('First: pod job-worker-1 was deleted');
    expect(lost.status?.replicaStatuses?.['Worker']).toEqual({});
    const next = planOf({ ...ofJob, roles, status: lost.status ?? {}, pods: [] });
    expect(namesOf(next.create.pods)).toEqual(['job-master-0', 'job-worker-0', 'job-worker-1']);
  });
});

describe('groupRestarts: later runs', () => {
  const status = statusAfter(before, { ...ofJob, pods: failing });

  it.each<[string, PlainPod[], removed: string[], made: string[]]>([
    ['delete the remaining pods', failing, ['job-worker-1', 'job-master-0', 'job-worker-0'], []],
    ['wait for a pod that is being deleted', [{ index: 0, deleted: -1 }], [], []],
    ['wait for a pod beyond the size of its role', [{ index: 7, deleted: -1 }], [], []],
    ['wait for a pod that must be adopted first', [{ index: 0, owner: 'none' }], [], []],
    ['create all pods when none is left', [], [], ['job-master-0', 'job-worker-0', 'job-worker-1']],
    ['create the missing pods beside new ones', [{ ...master, attempt: 1 }], [], ['job-worker-0', 'job-worker-1']],
    [
      'do not wait for a pod of another job',
      [{ index: 0, owner: { uid: 'another', name: 'other' } }],
      [],
      ['job-master-0', 'job-worker-1'],
    ],
  ])('%s', (_case, pods, removed, made) => {
    const plan = planOf({ ...ofJob, status, pods });
    expect(namesOf(plan.remove.pods).sort()).toEqual(removed.sort());
    expect(attemptsMade(plan)).toEqual(made.map((name) => [name, '1']));
  });

  it.each<[string, PlainPod]>([
    ['fails', { index: 0, phase: 'Failed', exit: 1, ended: 5 }],
    ['is restarted in place', { index: 0, restarts: 4 }],
    ['succeeds', { index: 0, phase: 'Succeeded' }],
    ['runs', { index: 0 }],
  ])('count nothing when an old pod %s', (_case, pod) => {
    const left: PlainPod[] = [{ ...master, phase: 'Succeeded' }, pod];
    const plan = planOf({ ...ofJob, status, pods: left });
    expect([plan.status, plan.events, plan.counters]).toEqual([undefined, [], []]);
  });

  it('keep the job Restarting until all pods run, then set Running', () => {
    const made = (phase: 'Pending' | 'Running'): PlainPod[] => [
      { ...master, attempt: 1 },
      { index: 0, attempt: 1 },
      { index: 1, attempt: 1, phase },
    ];
    const starting = statusAfter({ ...ofJob, status, pods: made('Pending') });
    expect(starting.state).toBe('Restarting');
    const running = statusAfter({ ...ofJob, status: starting, pods: made('Running') });
    expect(running).toMatchObject({ state: 'Running', attempt: 1, restarts: [{ scope: 'Job', failures: 1 }] });
  });

  it('continue the count after a suspension', () => {
    const suspended = statusAfter({ ...ofJob, status, pods: [], runPolicy: { suspend: true } });
    expect(suspended).toMatchObject({ state: 'Suspended', attempt: 1 });
    const made = planOf({ ...ofJob, status: suspended, pods: [] });
    expect(attemptsMade(made)[0]).toEqual(['job-master-0', '1']);
    const role = { replicaStatuses: { Worker: { attempt: 3 } } };
    expect(statusAfter({ ...ofRole, status: role, runPolicy: { suspend: true } })).toMatchObject(role);
  });

  it('add the attempts of the role to those of the job', () => {
    const both = { attempt: 2, replicaStatuses: { Worker: { attempt: 3 } } };
    expect(attemptsMade(planOf({ ...ofJob, status: both }))).toEqual([
      ['job-master-0', '2'],
      ['job-worker-0', '5'],
      ['job-worker-1', '5'],
    ]);
  });

  it("use a higher attempt than any pod's if the number was removed from the status", () => {
    const pods: PlainPod[] = [
      { ...master, attempt: 4 },
      { index: 1, attempt: 4, ...OOM },
    ];
    expect(statusAfter({ ...ofJob, status: {}, pods })).toMatchObject({ attempt: 5 });
  });
});

describe('groupRestarts: back-off', () => {
  const failedTwice = (started: number, created = started) => {
    const first = statusAfter(before, { ...ofJob, pods: failing });
    return planOf({
      ...ofJob,
      status: first,
      pods: [
        { ...master, attempt: 1, created },
        { index: 0, attempt: 1, created, started, ...OOM },
      ],
    });
  };

  it('creates no pod before it is over, and keeps ended pods until then', () => {
    const { status = {}, remove, requeueAfterMs } = failedTwice(-60);
    expect(status).toMatchObject({ attempt: 2, restarts: [{ scope: 'Job', failures: 2, lastFailureTime: at(0) }] });
    expect(restartingOf(status)).toContain(`; the job failed 2 times in a row and is restarted at ${at(10)}`);
    expect([namesOf(remove.pods), requeueAfterMs]).toEqual([['job-master-0'], 10_000]);
    const waiting = planOf({ ...ofJob, status, now: 4 });
    expect([waiting.create.pods, waiting.requeueAfterMs]).toEqual([[], 6000]);
    const left = planOf({ ...ofJob, status, now: 10, pods: [{ index: 0, attempt: 1, ...OOM }] });
    expect([namesOf(left.remove.pods), left.create.pods]).toEqual([['job-worker-0'], []]);
    expect(attemptsMade(planOf({ ...ofJob, status, now: 10 }))).toHaveLength(3);
  });

  it('is reset when the container that failed first has run for ten minutes', () => {
    expect(failedTwice(-605).status?.restarts).toEqual([{ scope: 'Job', replaced: true, failures: 1 }]);
  });

  it('is not reset when the pod has waited for a node for ten minutes', () => {
    const restarts = [{ scope: 'Job', failures: 2, lastFailureTime: at(0) }];
    expect(failedTwice(-1, -700).status).toMatchObject({ restarts });
  });
});
