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

describe('planJob: where an active job stands', () => {
  it.each<[string, PlainWorld[], string[]]>([
    ['is Created when none of its pods is there', [{}], ['Created=True']],
    ['is Created while its pods wait', [{ pods: [{ phase: 'Pending' }] }], ['Created=True']],
    ['runs by the rule of its framework', [running], ['Created=True', 'Running=True']],
    ['still runs when pods are lost', [running, { ...running, pods: [] }], ['Created=True', 'Running=True']],
    [
      'restarts with the first replica that fails',
      [running, { ...running, pods: [master, { index: 0, ...OOM }, { index: 1 }] }],
      ['Created=True', 'Restarting=True'],
    ],
    [
      'restarts until the last replica is there again',
      [
        { ...running, pods: [master, { index: 0, ...OOM }, { index: 1 }] },
        { ...running, pods: [master, { index: 1 }] },
      ],
      ['Created=True', 'Restarting=True'],
    ],
    [
      'runs again then',
      [
        { ...running, pods: [master, { index: 0, ...OOM }, { index: 1 }] },
        { ...running, pods: [master, { index: 0, uid: 'new' }, { index: 1 }] },
      ],
      ['Created=True', 'Running=True'],
    ],
    [
      'is there again also with replicas that are done',
      [
        { ...running, pods: [master, { index: 0, ...OOM }] },
        { ...running, pods: [master, { index: 0, uid: 'new', phase: 'Succeeded' }, { index: 1 }] },
      ],
      ['Created=True', 'Running=True'],
    ],
    [
      'is Created first where another operator has lost that',
      [{ ...running, status: { conditions: [{ type: 'Running', status: 'True', reason: 'PlainJobRunning' }] } }],
      ['Created=True', 'Running=True'],
    ],
    [
      'has failed when one replica does for good while another is restarted',
      [{ ...running, pods: [master, { index: 0, ...OOM }, { index: 1, phase: 'Failed', exit: 1 }] }],
      ['Created=True', 'Failed=True'],
    ],
    [
      'has succeeded though others fail',
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
  ])('%s', (_case, worlds, conditions) => {
    const status = statusAfter(...worlds);
    expect(conditionsOf(status)).toEqual(conditions);
    expect(status.state).toBe(conditions.at(-1)?.split('=')[0]);
  });

  it.each<[string, PlainWorld]>([
    ['a job that starts', {}],
    ['a job that runs', running],
    ['a job that restarts', { ...running, pods: [master, { index: 0, ...OOM }] }],
    ['a job that restarts in place', { ...running, pods: [master, { index: 0, restarts: 2 }] }],
    ['a job that has succeeded', { pods: [{ phase: 'Succeeded' }] }],
    ['a job that has failed', { pods: [{ phase: 'Failed', exit: 1 }] }],
  ])('writes the status of %s once', (_case, world) => {
    const status = statusAfter(world);
    const again = planOf({ ...world, status, now: 2 });
    expect([again.status, again.events, again.counters]).toEqual([undefined, [], []]);
  });

  it('counts roles in their order, what is ready, and which replicas are done', () => {
    const pods: PlainPod[] = [{ ...master, ready: false }, { index: 0, phase: 'Succeeded' }, { index: 1 }];
    const { status } = planOf({ ...running, pods, generation: 4 });
    expect(status).toMatchObject({ ready: '2/3', observedGeneration: 4, startTime: at(0), restartCount: 0 });
    expect(status?.replicaStatuses).toEqual({
      Master: { active: 1 },
      Worker: { active: 1, succeeded: 1, succeededIndexes: '0' },
    });
  });

  it('does not run again what has succeeded, though its pod is gone', () => {
    const status = statusAfter({ ...running, pods: [master, { index: 0, phase: 'Succeeded' }, { index: 1 }] });
    const plan = planOf({ ...running, status, pods: [master] });
    expect(namesOf(plan.create.pods)).toEqual(['job-worker-1']);
    expect(plan.status?.replicaStatuses?.Worker).toMatchObject({ succeeded: 1, succeededIndexes: '0' });
  });

  it('does not fail for a replica that is taken away', () => {
    const pods: PlainPod[] = [{ index: 0 }, { index: 1, phase: 'Failed', exit: 1 }];
    const { status, remove } = planOf({ workers: 1, pods });
    expect([status?.state, namesOf(remove.pods)]).toEqual(['Running', ['job-worker-1']]);
  });

  it('has succeeded when the replicas that are left have', () => {
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

  it('counts as ready in a job that has failed only what is ready', () => {
    const failed: PlainPod = { index: 1, phase: 'Failed', exit: 1 };
    const pods: PlainPod[] = [{ index: 0, ready: false }, failed, { index: 2 }, { index: 3, deleted: -1 }];
    const { status } = planOf({ workers: 4, pods, runPolicy: { cleanPodPolicy: 'None' } });
    expect(status).toMatchObject({ state: 'Failed', ready: '1/4', replicaStatuses: { Worker: { active: 2 } } });
  });
});

/** As kubeflow's operator leaves it. */
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

  it('counts and tells the restart with the status, and deletes the failed pod', () => {
    const { status, events, counters, remove } = planOf({ pods: [OOM] });
    const message =
      'job job is restarting because Worker replica(s) failed. First: pod job-worker-0, container main: exit code 137';
    expect(status?.conditions?.at(-1)).toMatchObject({ type: 'Restarting', reason: 'PlainJobRestarting', message });
    expect(events).toEqual([{ type: 'Warning', reason: 'PlainJobRestarting', note: message, action: 'UpdateStatus' }]);
    expect([counters, namesOf(remove.pods)]).toEqual([['created', 'restarted'], ['job-worker-0']]);
  });

  it('deletes it again when that has failed, and counts nothing', () => {
    const { status, counters, remove } = planOf({ pods: [OOM], status: statusAfter({ pods: [OOM] }), now: 60 });
    expect([status, counters, namesOf(remove.pods)]).toEqual([undefined, [], ['job-worker-0']]);
  });

  it('lets a replica that fails again and again wait, and says until when', () => {
    const { remove, create, requeueAfterMs } = planOf({ ...incarnation('b'), status: statusAfter(incarnation('a')) });
    expect([remove.pods, create.pods, requeueAfterMs]).toEqual([[], [], 10_000]);
    expect(twice.conditions?.at(-1)?.message).toMatch(
      /; job-worker-0 failed 2 times in a row and is tried again at 2030-01-01T12:00:10Z$/,
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

  it('looks again at the soonest of several moments', () => {
    const { requeueAfterMs } = planOf({ ...incarnation('b'), status: twice, runPolicy: { activeDeadlineSeconds: 7 } });
    expect(requeueAfterMs).toBe(7000);
  });

  it('tells of each new failure while it restarts, and keeps the time since when it does', () => {
    const [, since] = twice.conditions ?? [];
    const { status } = planOf({ ...incarnation('c'), status: twice, now: 60 });
    expect(status?.conditions?.at(-1)).toMatchObject({
      lastUpdateTime: at(60),
      lastTransitionTime: since?.lastTransitionTime,
    });
    expect(status?.conditions?.at(-1)?.message).toContain('failed 3 times in a row');
  });

  it.each<[string, JobStatus, PlainPod, restartCount: number, counted: number]>([
    ['not what was restarted in place before another operator gave the job up', begun(), { restarts: 2 }, 2, 0],
    ['not even when it ends the job', begun(), { restarts: 9 }, 9, 0],
    ['a failed pod that the other operator has left', begun(), { ...OOM, restarts: 2 }, 3, 1],
    [
      'what was restarted while no operator led',
      { ...begun(), state: 'Running', restartCount: 1 },
      { restarts: 2 },
      3,
      2,
    ],
    ['what was restarted before the first look at a new job', {}, { restarts: 2 }, 2, 2],
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

  it('makes up for what the cluster did at once, whatever the policy, and counts it apart', () => {
    const roles = [{ name: 'Worker', replicas: 1, restartPolicy: 'Never' }] as const;
    const pods: PlainPod[] = [{ phase: 'Failed', reason: 'Evicted' }];
    const { status, remove, counters } = planOf({ roles, pods, runPolicy: { backoffLimit: 0 } });
    expect(status).toMatchObject({ state: 'Restarting', restartCount: 0, disruptionCount: 1 });
    expect([namesOf(remove.pods), counters]).toEqual([['job-worker-0'], ['created', 'restarted']]);
  });
});

describe('planJob: an active job says why its replicas were restarted', () => {
  it.each<[string, PlainWorld, RestartCause[]]>([
    ['a program that failed', { pods: [OOM] }, ['ProgramFailed']],
    ['an eviction', { pods: [{ phase: 'Failed', reason: 'Evicted', disrupted: true }] }, ['ClusterEnded']],
    ['a node that has no room', { pods: [{ phase: 'Failed', reason: 'OutOfcpu' }] }, ['NodeRefused']],
    ['restarts in place', { pods: [{ restarts: 2 }] }, ['ProgramFailed', 'ProgramFailed']],
    [
      'several replicas, each by itself',
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
  ])('%s', (_case, world, causes) => {
    const { restartCauses, counters, status = {} } = planOf(world);
    expect(restartCauses).toEqual(causes);
    expect(counters.filter((name) => name === 'restarted')).toHaveLength(causes.length);
    expect(planOf({ ...world, status }).restartCauses).toEqual([]);
  });

  it('nothing of what its end keeps from being recreated', () => {
    const pods: PlainPod[] = [OOM, { index: 1, phase: 'Failed', exit: 1 }];
    const { restartCauses, counters } = planOf({ workers: 2, pods });
    expect([restartCauses, counters]).toEqual([[], ['created', 'failed']]);
  });
});
