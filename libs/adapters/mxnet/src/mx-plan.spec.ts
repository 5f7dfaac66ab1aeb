/** Plans for MXJobs by the state of their replicas. Letters: see `podsOfRoles`. */
import { gangSchedulerNamed, newWorld, planJob } from '@muster/common-job-controller';
import { planned, type Planned } from '@muster/common-job-controller/testing';
import { LABELS, type MXJob } from '@muster/job-api';
import { podsOfRoles, specsOfRoles, type RolePhases } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { mxAdapter } from './mx-adapter.ts';

type RunPolicy = Partial<MXJob['spec']['runPolicy']>;
type State = 'Created' | 'Running' | 'Succeeded' | 'Failed';

const CONTAINER = 'mxnet';
const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;

/** The job `mnist` with these roles. It is a tuning job if it has tuners. */
function mxJob(roles: RolePhases, runPolicy: RunPolicy = {}): MXJob {
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'MXJob',
    metadata: { name: 'mnist', namespace: 'team', uid: 'uid-1', generation: 1, resourceVersion: '1' },
    spec: {
      jobMode: 'Tuner' in roles ? 'MXTune' : 'MXTrain',
      runPolicy: { suspend: false, ...runPolicy },
      mxReplicaSpecs: specsOfRoles(CONTAINER, roles),
    },
  };
}

function planOf(roles: RolePhases, runPolicy?: RunPolicy, gangSchedulerName = ''): Planned {
  const job = mxJob(roles, runPolicy);
  const world = { ...newWorld(job, Date.UTC(2030, 0, 1)), pods: podsOfRoles(job, CONTAINER, roles) };
  return planned(planJob(mxAdapter(), world, { ...SETTINGS, gang: gangSchedulerNamed(gangSchedulerName) }));
}

const names = (objects: readonly { metadata?: { name?: string } }[]) => objects.map(({ metadata }) => metadata?.name);

describe('the outcome of an MXJob', () => {
  it.each<[what: string, roles: RolePhases, state: State]>([
    ['training runs while some worker does', { Scheduler: 'R', Server: 'P', Worker: 'RP' }, 'Running'],
    ['training does not run before a worker does', { Scheduler: 'R', Server: 'R', Worker: 'PP' }, 'Created'],
    ['training succeeds with its workers', { Scheduler: 'R', Server: 'R', Worker: 'SS' }, 'Succeeded'],
    ['training does not succeed with some workers', { Scheduler: 'R', Server: 'R', Worker: 'SR' }, 'Running'],
    [
      'training does not succeed with its scheduler and servers',
      { Scheduler: 'S', Server: 'S', Worker: 'RR' },
      'Running',
    ],
    ['a single worker decides', { Worker: 'S' }, 'Succeeded'],
    ['a single worker that runs makes it run', { Worker: 'R' }, 'Running'],
    ['a single worker that fails, fails it', { Worker: 'F' }, 'Failed'],
    ['a failed scheduler fails it', { Scheduler: 'F', Server: 'R', Worker: 'RR' }, 'Failed'],
    ['a failed server fails it', { Scheduler: 'R', Server: 'RF', Worker: 'RR' }, 'Failed'],
    ['a failed worker fails it', { Scheduler: 'R', Server: 'R', Worker: 'SF' }, 'Failed'],
    ['the success of all workers comes before a failure', { Scheduler: 'F', Server: 'F', Worker: 'SS' }, 'Succeeded'],
    ['tuning runs while its tuner does', { TunerTracker: 'R', TunerServer: 'P', Tuner: 'R' }, 'Running'],
    ['tuning does not run before its tuner does', { TunerTracker: 'R', TunerServer: 'RR', Tuner: 'P' }, 'Created'],
    ['tuning succeeds with its tuners', { TunerTracker: 'R', TunerServer: 'RR', Tuner: 'SS' }, 'Succeeded'],
    [
      'tuning does not succeed with its tracker and servers',
      { TunerTracker: 'S', TunerServer: 'S', Tuner: 'R' },
      'Running',
    ],
    ['a failed tracker fails it', { TunerTracker: 'F', Tuner: 'R' }, 'Failed'],
    ['a failed device server fails it', { TunerTracker: 'R', TunerServer: 'RF', Tuner: 'R' }, 'Failed'],
    ['a failed tuner fails it', { TunerTracker: 'R', Tuner: 'F' }, 'Failed'],
    ['workers do not decide about tuning', { TunerTracker: 'R', Tuner: 'R', Worker: 'S' }, 'Running'],
  ])('%s', (_what, roles, state) => {
    expect(planOf(roles).status?.state).toBe(state);
  });

  it.each<[roles: RolePhases, text: string]>([
    [{ Worker: 'R' }, 'MXJob mnist is running.'],
    [{ Worker: 'S' }, 'MXJob mnist is successfully completed.'],
    [{ Scheduler: 'R', Server: 'FF', Worker: 'F' }, 'mxjob mnist is failed because 2 Server replica(s) failed.'],
  ])("has Kubeflow's message: %j", (roles, text) => {
    const message = planOf(roles).status?.conditions?.at(-1)?.message ?? '';
    expect(message.split(' First: ')[0]).toBe(text);
  });
});

describe('an MXJob that has lost a replica', () => {
  const TRAINS = { Scheduler: 'R', Server: 'R', Worker: 'RR' };

  it.each<[what: string, before: RolePhases, after: RolePhases, state: State, made: string[]]>([
    ['fails when it was training', TRAINS, { ...TRAINS, Worker: 'R-' }, 'Failed', []],
    ['fails when its scheduler is lost', TRAINS, { ...TRAINS, Scheduler: '-' }, 'Failed', []],
    ['fails when a server is lost', TRAINS, { ...TRAINS, Server: '-' }, 'Failed', []],
    [
      'continues when the replica never ran',
      { ...TRAINS, Worker: 'RP' },
      { ...TRAINS, Worker: 'R-' },
      'Running',
      ['worker-1'],
    ],
    [
      'continues when the replica had succeeded',
      { ...TRAINS, Worker: 'RS' },
      { ...TRAINS, Worker: 'R-' },
      'Running',
      [],
    ],
    ['restarts a single worker', { Worker: 'R' }, { Worker: '-' }, 'Running', ['worker-0']],
    [
      'continues when it was tuning',
      { TunerTracker: 'R', Tuner: 'RR' },
      { TunerTracker: 'R', Tuner: 'R-' },
      'Running',
      ['tuner-1'],
    ],
  ])('%s', (_what, before, after, state, made) => {
    const { status } = planOf(before);
    const job = { ...mxJob(after), ...(status && { status }) };
    const world = { ...newWorld(job, Date.UTC(2030, 0, 1)), pods: podsOfRoles(job, CONTAINER, after) };
    const plan = planned(planJob(mxAdapter(), world, SETTINGS));
    expect([(plan.status ?? status)?.state, names(plan.create.pods)]).toEqual([
      state,
      made.map((pod) => `mnist-${pod}`),
    ]);
  });
});

describe('the start of an MXJob', () => {
  const SCHEDULER = 'mnist-scheduler-0';
  const OTHERS = ['mnist-server-0', 'mnist-worker-0', 'mnist-worker-1'];

  it.each<[what: string, roles: RolePhases, made: string[]]>([
    ['creates the scheduler first', { Scheduler: '-', Server: '-', Worker: '--' }, [SCHEDULER]],
    ['creates no other pod while the scheduler is pending', { Scheduler: 'P', Server: '-', Worker: '--' }, []],
    ['creates servers and workers when the scheduler runs', { Scheduler: 'R', Server: '-', Worker: '--' }, OTHERS],
    ['creates a missing worker beside it', { Scheduler: 'R', Server: 'R', Worker: 'R-' }, ['mnist-worker-1']],
    [
      'creates servers and workers after the scheduler has succeeded',
      { Scheduler: 'S', Server: '-', Worker: '--' },
      OTHERS,
    ],
    ['recreates a lost scheduler', { Scheduler: '-', Server: 'R', Worker: 'RR' }, [SCHEDULER]],
    ['delays a lost worker until a lost scheduler runs', { Scheduler: '-', Server: 'R', Worker: 'R-' }, [SCHEDULER]],
    ['does not delay a single worker', { Worker: '-' }, ['mnist-worker-0']],
    ['does not delay a worker for a scheduler of 0 replicas', { Scheduler: '', Worker: '-' }, ['mnist-worker-0']],
    [
      'creates all pods of tuning at once',
      { TunerTracker: '-', TunerServer: '-', Tuner: '-' },
      ['mnist-tunertracker-0', 'mnist-tunerserver-0', 'mnist-tuner-0'],
    ],
  ])('%s', (_what, roles, made) => {
    const { create, remove } = planOf(roles);
    expect(names(create.pods)).toEqual(made);
    expect(remove.pods).toEqual([]);
  });

  it('creates all pods at once under a gang scheduler, which would wait for delayed ones', () => {
    const roles = { Scheduler: '-', Server: '-', Worker: '--' };
    expect(names(planOf(roles, {}, 'coscheduler').create.pods)).toEqual([SCHEDULER, ...OTHERS]);
  });

  it.each<[seconds: number, gangSchedulerName: string, reported: string | undefined]>([
    [4, '', undefined],
    [5, '', 'StartOrder: No pods of Server are created before the Scheduler runs.'],
    [5, 'coscheduler', undefined],
  ])(
    'reports %s seconds after it began under gang scheduler "%s" that it waits: %s',
    (seconds, gangSchedulerName, reported) => {
      const roles = { Scheduler: 'P', Server: '-', Worker: '--' };
      const nowMs = Date.UTC(2030, 0, 1);
      const status = { startTime: new Date(nowMs - seconds * 1000).toISOString() };
      const job = { ...mxJob(roles), status };
      const world = { ...newWorld(job, nowMs), pods: podsOfRoles(job, CONTAINER, roles) };
      const plan = planned(planJob(mxAdapter(), world, { ...SETTINGS, gang: gangSchedulerNamed(gangSchedulerName) }));
      const found = plan.status?.conditions?.find(({ type }) => type === 'Waiting');
      expect(found && `${found.reason}: ${found.message}`).toBe(reported);
      if (seconds === 4) expect(plan.requeueAfterMs).toBeLessThanOrEqual(1000);
    },
  );

  it('resolves its Services, which no pod waits for', () => {
    const { create } = planOf({ Scheduler: '-', Server: '-', Worker: '--' });
    expect(names(create.services)).toEqual(['mnist', SCHEDULER]);
  });
});

describe('the end of an MXJob', () => {
  const TRAINED = { Scheduler: 'R', Server: 'RR', Worker: 'SS' };
  const ENDLESS = ['mnist-scheduler-0', 'mnist-server-0', 'mnist-server-1'];

  it.each<[what: string, policy: 'None' | 'Running' | 'All' | undefined, removed: string[]]>([
    ['stops scheduler and servers, which may not end by themselves', undefined, ENDLESS],
    ['stops no pod under None', 'None', []],
    ['stops running pods under Running', 'Running', ENDLESS],
    ['deletes every pod under All', 'All', [...ENDLESS, 'mnist-worker-0', 'mnist-worker-1']],
  ])('%s', (_what, cleanPodPolicy, removed) => {
    expect(names(planOf(TRAINED, cleanPodPolicy && { cleanPodPolicy }).remove.pods)).toEqual(removed);
  });

  it('stops scheduler and servers of failed training as well, and no worker', () => {
    expect(names(planOf({ Scheduler: 'R', Server: 'R', Worker: 'FR' }).remove.pods)).toEqual([
      'mnist-scheduler-0',
      'mnist-server-0',
    ]);
  });

  it('stops the tracker and the servers of tuning', () => {
    expect(names(planOf({ TunerTracker: 'R', TunerServer: 'R', Tuner: 'S' }).remove.pods)).toEqual([
      'mnist-tunertracker-0',
      'mnist-tunerserver-0',
    ]);
  });
});

describe('the replica of an MXJob', () => {
  it.each<[what: string, roles: RolePhases, labelled: string, addressed: string | undefined]>([
    ['training', { Scheduler: 'R', Server: '-', Worker: '--' }, 'mnist-worker-0', 'mnist-scheduler-0'],
    ['training, in lower case', { scheduler: 'R', server: '-', worker: '--' }, 'mnist-worker-0', 'mnist-scheduler-0'],
    ['tuning', { TunerTracker: '-', TunerServer: '-', Tuner: '--' }, 'mnist-tuner-0', 'mnist-tunertracker-0'],
    ['a single worker', { Worker: '-' }, 'mnist-worker-0', undefined],
  ])('that is labelled as master, and the one that others connect to, in %s', (_what, roles, labelled, addressed) => {
    const { create } = planOf(roles);
    const masters = create.pods.filter(({ metadata }) => metadata?.labels?.[LABELS.jobRole] === 'master');
    expect(names(masters)).toEqual([labelled]);
    expect(names(create.services)).toEqual(['mnist', ...(addressed === undefined ? [] : [addressed])]);
  });
});

describe('an MXJob that is older than the validation rules', () => {
  it('is read without a run policy', () => {
    const { runPolicy: _, ...spec } = mxJob({ Worker: '-' }).spec;
    const old = { ...mxJob({ Worker: '-' }), spec } as MXJob;
    expect(mxAdapter().read(old, newWorld(old, 0)).roles).toHaveLength(1);
  });

  it('that runs has not succeeded when its workers are scaled down to 0', () => {
    const roles = { Scheduler: 'R', Server: 'R', Worker: '' };
    const conditions = [{ type: 'Running', status: 'True', reason: 'Runs' }] as const;
    const job = { ...mxJob(roles), status: { conditions: [...conditions] } };
    const world = { ...newWorld(job, Date.UTC(2030, 0, 1)), pods: podsOfRoles(job, CONTAINER, roles) };
    const { status, remove } = planned(planJob(mxAdapter(), world, SETTINGS));
    expect([status?.state, names(remove.pods)]).toEqual(['Running', []]);
  });

  it('with a conflicting port has a problem with the field path', () => {
    const { spec, ...job } = mxJob({ Worker: '-' });
    const logs = { name: 'logs', image: 'registry.example/logs:1', ports: [{ containerPort: 9091 }] };
    const template = { spec: { containers: [{ name: CONTAINER, image: 'registry.example/train:1' }, logs] } };
    const problems = mxAdapter().problems({ ...job, spec: { ...spec, mxReplicaSpecs: { Worker: { template } } } });
    expect(problems.map(({ path }) => path)).toEqual([
      'spec.mxReplicaSpecs[Worker].template.spec.containers[1].ports[0].containerPort',
    ]);
  });
});
