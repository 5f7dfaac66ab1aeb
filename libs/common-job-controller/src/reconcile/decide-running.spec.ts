import type { JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { at, type PlainPod } from '../../test-support/plain-pod.ts';
import { conditionsOf, namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';
import type { RestartCause } from '../model/status-write.ts';

const OOM = { phase: 'Failed', exit: 137 } as const;
const ROLES = [
  { name: 'Master', replicas: 1 },
  { name: 'Worker', replicas: 2 },
];
const master: PlainPod = { role: 'master' };
const running: PlainWorld = { roles: ROLES, pods: [master, { index: 0 }, { index: 1 }] };

describe('planJob: the conditions of an active job', () => {
  it.each<[string, PlainWorld[], string[]]>([
    ['is Created before it has pods', [{}], ['Created=True']],
    ['is Created while its pods wait', [{ pods: [{ phase: 'Pending' }] }], ['Created=True']],
    ['is Running by the rule of its framework', [running], ['Created=True', 'Running=True']],
    ['is still Running when pods are lost', [running, { ...running, pods: [] }], ['Created=True', 'Running=True']],
    [
      'is Restarting after the first failure',
      [running, { ...running, pods: [master, { index: 0, ...OOM }, { index: 1 }] }],
      ['Created=True', 'Restarting=True'],
    ],
    [
      'is Restarting until the last replica runs again',
      [
        { ...running, pods: [master, { index: 0, ...OOM }, { index: 1 }] },
        { ...running, pods: [master, { index: 1 }] },
      ],
      ['Created=True', 'Restarting=True'],
    ],
    [
      'is Running when all replicas run again',
      [
        { ...running, pods: [master, { index: 0, ...OOM }, { index: 1 }] },
        { ...running, pods: [master, { index: 0, uid: 'new' }, { index: 1 }] },
      ],
      ['Created=True', 'Running=True'],
    ],
    [
      'is Running again if the other replicas have succeeded',
      [
        { ...running, pods: [master, { index: 0, ...OOM }] },
        { ...running, pods: [master, { index: 0, uid: 'new', phase: 'Succeeded' }, { index: 1 }] },
      ],
      ['Created=True', 'Running=True'],
    ],
    [
      'has Created first if another operator has removed it',
      [{ ...running, status: { conditions: [{ type: 'Running', status: 'True', reason: 'PlainJobRunning' }] } }],
      ['Created=True', 'Running=True'],
    ],
    [
      'is Failed when one replica fails permanently while another is restarted',
      [{ ...running, pods: [master, { index: 0, ...OOM }, { index: 1, phase: 'Failed', exit: 1 }] }],
      ['Created=True', 'Failed=True'],
    ],
    [
      'is Succeeded although other replicas fail',
      [
        {
          ...running,
          pods: [
            { ...master, phase: 'Succeeded' },
            { index: 0, ...OOM },
            { index: 1, phase: 'Failed', exit: 1 },
          ],
        },
      ],
      ['Created=True', 'Succeeded=True'],
    ],
  ])('a job %s', (_case, worlds, conditions) => {
    const status = statusAfter(...worlds);
    expect(conditionsOf(status)).toEqual(conditions);
    expect(status.state).toBe(conditions.at(-1)?.split('=')[0]);
  });

  it.each<[string, PlainWorld]>([
    ['a starting job', {}],
    ['a running job', running],
    ['a restarting job', { ...running, pods: [master, { index: 0, ...OOM }] }],
    ['a job restarted in place', { ...running, pods: [master, { index: 0, restarts: 2 }] }],
    ['a succeeded job', { pods: [{ phase: 'Succeeded' }] }],
    ['a failed job', { pods: [{ phase: 'Failed', exit: 1 }] }],
  ])('writes the status of %s once', (_case, world) => {
    const status = statusAfter(world);
    const again = planOf({ ...world, status, now: 2 });
    expect([again.status, again.events, again.counters]).toEqual([undefined, [], []]);
  });

  it('counts roles in order, ready replicas, and succeeded indexes', () => {
    const pods: PlainPod[] = [{ ...master, ready: false }, { index: 0, phase: 'Succeeded' }, { index: 1 }];
    const { status } = planOf({ ...running, pods, generation: 4 });
    expect(status).toMatchObject({ ready: '2/3', observedGeneration: 4, startTime: at(0), restartCount: 0 });
    expect(status?.replicaStatuses).toEqual({
      Master: { active: 1 },
      Worker: { active: 1, succeeded: 1, succeededIndexes: '0' },
    });
  });

  it('does not recreate a succeeded replica whose pod is gone', () => {
    const status = statusAfter({ ...running, pods: [master, { index: 0, phase: 'Succeeded' }, { index: 1 }] });
    const plan = planOf({ ...running, status, pods: [master] });
    expect(namesOf(plan.create.pods)).toEqual(['job-worker-1']);
    expect(plan.status?.replicaStatuses?.Worker).toMatchObject({ succeeded: 1, succeededIndexes: '0' });
  });

  it('does not fail because of a disrupted replica', () => {
    const pods: PlainPod[] = [{ index: 0 }, { index: 1, phase: 'Failed', exit: 1 }];
    const { status, remove } = planOf({ workers: 1, pods });
    expect([status?.state, namesOf(remove.pods)]).toEqual(['Running', ['job-worker-1']]);
  });

  it('succeeds when the remaining replicas have', () => {
    const pods: PlainPod[] = [{ index: 0, phase: 'Succeeded' }, { index: 1 }];
    const { status, remove } = planOf({ workers: 1, pods });
    expect([status?.state, status?.ready, namesOf(remove.pods)]).toEqual(['Succeeded', '1/1', ['job-worker-1']]);
  });

  it.each<['' | 'None' | 'Running', worker: object, ps: object, ready: string]>([
    ['', { active: 1 }, {}, '1/3'],
    ['None', { active: 1 }, { active: 1 }, '2/3'],
    ['Running', {}, {}, '0/3'],
  ])(
    'has failed under policy "%s": what is stopped with it is no longer active',
    (cleanPodPolicy, worker, ps, ready) => {
      const roles = [
        { name: 'Worker', replicas: 2 },
        { name: 'PS', replicas: 1, endsByItself: false },
      ];
      const pods: PlainPod[] = [{ index: 0 }, { index: 1, phase: 'Failed', exit: 1 }, { role: 'ps' }];
      const { status } = planOf({ roles, pods, runPolicy: { cleanPodPolicy } });
      expect(status?.replicaStatuses).toEqual({ Worker: { ...worker, failed: 1 }, PS: ps });
      expect(status?.ready).toBe(ready);
    },
  );

  it('counts only ready pods as ready in a failed job', () => {
    const failed: PlainPod = { index: 1, phase: 'Failed', exit: 1 };
    const pods: PlainPod[] = [{ index: 0, ready: false }, failed, { index: 2 }, { index: 3, deleted: -1 }];
    const { status } = planOf({ workers: 4, pods, runPolicy: { cleanPodPolicy: 'None' } });
    expect(status).toMatchObject({ state: 'Failed', ready: '1/4', replicaStatuses: { Worker: { active: 2 } } });
  });
});

const begun = (): JobStatus => ({
  conditions: [
    { type: 'Created', status: 'True' },
    { type: 'Running', status: 'True' },
  ],
  startTime: at(-600),
});

describe('planJob: an active job restarts replicas', () => {
  const incarnation = (uid: string): PlainWorld => ({ pods: [{ ...OOM, uid }] });
  const twice: JobStatus = statusAfter(incarnation('a'), incarnation('b'));

  it('counts and reports the restart with the status write, and deletes the failed pod', () => {
    const { status, events, counters, remove } = planOf({ pods: [OOM] });
    const message =
      'job job is restarting because Worker replica(s) failed. First: pod job-worker-0, container main: exit code 137';
    expect(status?.conditions?.at(-1)).toMatchObject({ type: 'Restarting', reason: 'PlainJobRestarting', message });
    expect(events).toEqual([{ type: 'Warning', reason: 'PlainJobRestarting', note: message, action: 'UpdateStatus' }]);
    expect([counters, namesOf(remove.pods)]).toEqual([['created', 'restarted'], ['job-worker-0']]);
  });

  it('repeats a failed deletion without counting it again', () => {
    const { status, counters, remove } = planOf({ pods: [OOM], status: statusAfter({ pods: [OOM] }), now: 60 });
    expect([status, counters, namesOf(remove.pods)]).toEqual([undefined, [], ['job-worker-0']]);
  });

  it('delays a replica that fails repeatedly, and reports until when', () => {
    const { remove, create, requeueAfterMs } = planOf({ ...incarnation('b'), status: statusAfter(incarnation('a')) });
    expect([remove.pods, create.pods, requeueAfterMs]).toEqual([[], [], 10_000]);
    expect(twice.conditions?.at(-1)?.message).toMatch(
      /; job-worker-0 failed 2 times in a row and is restarted at 2030-01-01T12:00:10Z$/,
    );
  });

  it.each([
    [9, [], 1000],
    [10, ['job-worker-0'], undefined],
    [5000, ['job-worker-0'], undefined],
  ])('after %d s deletes %j', (now, removed, requeueAfterMs) => {
    const plan = planOf({ ...incarnation('b'), status: twice, now });
    expect([plan.status, namesOf(plan.remove.pods), plan.requeueAfterMs]).toEqual([undefined, removed, requeueAfterMs]);
  });

  it('requeues the job for the earliest of several due times', () => {
    const { requeueAfterMs } = planOf({ ...incarnation('b'), status: twice, runPolicy: { activeDeadlineSeconds: 7 } });
    expect(requeueAfterMs).toBe(7000);
  });

  it('reports each new failure while it is Restarting, and keeps the transition time', () => {
    const [, since] = twice.conditions ?? [];
    const { status } = planOf({ ...incarnation('c'), status: twice, now: 60 });
    expect(status?.conditions?.at(-1)).toMatchObject({
      lastUpdateTime: at(60),
      lastTransitionTime: since?.lastTransitionTime,
    });
    expect(status?.conditions?.at(-1)?.message).toContain('failed 3 times in a row');
  });

  it.each<[string, JobStatus, PlainPod, restartCount: number, counted: number]>([
    ['no in-place restarts from before the job was taken over', begun(), { restarts: 2 }, 2, 0],
    ['no inherited in-place restarts even if they end the job', begun(), { restarts: 9 }, 9, 0],
    ['a failed pod left by the other operator', begun(), { ...OOM, restarts: 2 }, 3, 1],
    [
      'restarts that happened while no operator led',
      { ...begun(), state: 'Running', restartCount: 1 },
      { restarts: 2 },
      3,
      2,
    ],
    ['restarts from before the first run for a new job', {}, { restarts: 2 }, 2, 2],
  ])('counts in its metrics %s', (_case, before, pod, restartCount, counted) => {
    const { status, counters, restartCauses } = planOf({
      status: before,
      pods: [pod],
      runPolicy: { backoffLimit: 5 },
    });
    expect(status?.restartCount).toBe(restartCount);
    expect(counters.filter((name) => name === 'restarted')).toHaveLength(counted);
    expect(restartCauses).toEqual(new Array(counted).fill('ProgramFailed'));
  });

  it('recreates a disrupted replica at once, whatever the restart policy, and counts it separately', () => {
    const roles = [{ name: 'Worker', replicas: 1, restartPolicy: 'Never' }] as const;
    const pods: PlainPod[] = [{ phase: 'Failed', reason: 'Evicted' }];
    const { status, remove, counters } = planOf({ roles, pods, runPolicy: { backoffLimit: 0 } });
    expect(status).toMatchObject({ state: 'Restarting', restartCount: 0, disruptionCount: 1 });
    expect([namesOf(remove.pods), counters]).toEqual([['job-worker-0'], ['created', 'restarted']]);
  });
});

describe('planJob: the restart causes of an active job', () => {
  it.each<[string, PlainWorld, RestartCause[]]>([
    ['a program that failed', { pods: [OOM] }, ['ProgramFailed']],
    ['an eviction', { pods: [{ phase: 'Failed', reason: 'Evicted', disrupted: true }] }, ['ClusterEnded']],
    ['a node without capacity', { pods: [{ phase: 'Failed', reason: 'OutOfcpu' }] }, ['NodeRefused']],
    ['restarts in place', { pods: [{ restarts: 2 }] }, ['ProgramFailed', 'ProgramFailed']],
    [
      'several replicas, one cause each',
      {
        workers: 2,
        pods: [
          { ...OOM, restarts: 1 },
          { index: 1, phase: 'Failed', disrupted: true },
        ],
      },
      ['ProgramFailed', 'ClusterEnded', 'ProgramFailed'],
    ],
    [
      'all pods of the job, once',
      {
        workers: 2,
        scopes: { '*': 'Job' },
        pods: [
          { phase: 'Failed', disrupted: true },
          { index: 1, ...OOM },
        ],
      },
      ['ClusterEnded'],
    ],
  ])('are reported for %s', (_case, world, causes) => {
    const { restartCauses, counters, status = {} } = planOf(world);
    expect(restartCauses).toEqual(causes);
    expect(counters.filter((name) => name === 'restarted')).toHaveLength(causes.length);
    expect(planOf({ ...world, status }).restartCauses).toEqual([]);
  });

  it('exclude replicas that are not recreated because the job ends', () => {
    const pods: PlainPod[] = [OOM, { index: 1, phase: 'Failed', exit: 1 }];
    const { restartCauses, counters } = planOf({ workers: 2, pods });
    expect([restartCauses, counters]).toEqual([[], ['created', 'failed']]);
  });
});
