/** What becomes of an MXJob, by how its replicas are doing. A letter stands for a replica, see `podsOfRoles`. */
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

/** The job `mnist` that has these roles, a replica for each letter. It tunes if it has tuners. */
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
    ['training is done when its workers are', { Scheduler: 'R', Server: 'R', Worker: 'SS' }, 'Succeeded'],
    ['training is not done with some workers', { Scheduler: 'R', Server: 'R', Worker: 'SR' }, 'Running'],
    ['training is not done with its scheduler and servers', { Scheduler: 'S', Server: 'S', Worker: 'RR' }, 'Running'],
    ['a single worker decides', { Worker: 'S' }, 'Succeeded'],
    ['a single worker that runs makes it run', { Worker: 'R' }, 'Running'],
    ['a single worker that fails, fails it', { Worker: 'F' }, 'Failed'],
    ['a failed scheduler fails it', { Scheduler: 'F', Server: 'R', Worker: 'RR' }, 'Failed'],
    ['a failed server fails it', { Scheduler: 'R', Server: 'RF', Worker: 'RR' }, 'Failed'],
    ['a failed worker fails it', { Scheduler: 'R', Server: 'R', Worker: 'SF' }, 'Failed'],
    ['the success of all workers comes before a failure', { Scheduler: 'F', Server: 'F', Worker: 'SS' }, 'Succeeded'],
    ['tuning runs while its tuner does', { TunerTracker: 'R', TunerServer: 'P', Tuner: 'R' }, 'Running'],
    ['tuning does not run before', { TunerTracker: 'R', TunerServer: 'RR', Tuner: 'P' }, 'Created'],
    ['tuning is done when its tuners are', { TunerTracker: 'R', TunerServer: 'RR', Tuner: 'SS' }, 'Succeeded'],
    ['tuning is not done with its tracker and servers', { TunerTracker: 'S', TunerServer: 'S', Tuner: 'R' }, 'Running'],
    ['a failed tracker fails it', { TunerTracker: 'F', Tuner: 'R' }, 'Failed'],
    ['a failed device server fails it', { TunerTracker: 'R', TunerServer: 'RF', Tuner: 'R' }, 'Failed'],
    ['a failed tuner fails it', { TunerTracker: 'R', Tuner: 'F' }, 'Failed'],
    ['workers do not decide about tuning', { TunerTracker: 'R', Tuner: 'R', Worker: 'S' }, 'Running'],
  ])('%s', (_what, roles, state) => {
    expect(planOf(roles).status?.state).toBe(state);
  });

  it.each<[roles: RolePhases, words: string]>([
    [{ Worker: 'R' }, 'MXJob mnist is running.'],
    [{ Worker: 'S' }, 'MXJob mnist is successfully completed.'],
    [{ Scheduler: 'R', Server: 'FF', Worker: 'F' }, 'mxjob mnist is failed because 2 Server replica(s) failed.'],
  ])("is told in Kubeflow's words: %j", (roles, words) => {
    const message = planOf(roles).status?.conditions?.at(-1)?.message ?? '';
    expect(message.split(' First: ')[0]).toBe(words);
  });
});

describe('an MXJob that has lost a replica', () => {
  const TRAINS = { Scheduler: 'R', Server: 'R', Worker: 'RR' };

  it.each<[what: string, before: RolePhases, after: RolePhases, state: State, made: string[]]>([
    ['fails when it was training', TRAINS, { ...TRAINS, Worker: 'R-' }, 'Failed', []],
    ['fails when its scheduler is lost', TRAINS, { ...TRAINS, Scheduler: '-' }, 'Failed', []],
    ['fails when a server is lost', TRAINS, { ...TRAINS, Server: '-' }, 'Failed', []],
    ['goes on when it never ran', { ...TRAINS, Worker: 'RP' }, { ...TRAINS, Worker: 'R-' }, 'Running', ['worker-1']],
    ['goes on when it had done its work', { ...TRAINS, Worker: 'RS' }, { ...TRAINS, Worker: 'R-' }, 'Running', []],
    ['begins anew when it is one single worker', { Worker: 'R' }, { Worker: '-' }, 'Running', ['worker-0']],
    [
      'goes on when it was tuning',
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
    ['the scheduler comes first', { Scheduler: '-', Server: '-', Worker: '--' }, [SCHEDULER]],
    ['nobody is made while it is pending', { Scheduler: 'P', Server: '-', Worker: '--' }, []],
    ['servers and workers follow when it runs', { Scheduler: 'R', Server: '-', Worker: '--' }, OTHERS],
    ['a worker that is missing is made beside it', { Scheduler: 'R', Server: 'R', Worker: 'R-' }, ['mnist-worker-1']],
    ['those of a scheduler that has ended well are made', { Scheduler: 'S', Server: '-', Worker: '--' }, OTHERS],
    ['a lost scheduler is recreated', { Scheduler: '-', Server: 'R', Worker: 'RR' }, [SCHEDULER]],
    ['a lost worker waits for a lost scheduler', { Scheduler: '-', Server: 'R', Worker: 'R-' }, [SCHEDULER]],
    ['a single worker waits for nobody', { Worker: '-' }, ['mnist-worker-0']],
    ['a worker does not wait for a scheduler of no replicas', { Scheduler: '', Worker: '-' }, ['mnist-worker-0']],
    [
      'tuning starts all at once',
      { TunerTracker: '-', TunerServer: '-', Tuner: '-' },
      ['mnist-tunertracker-0', 'mnist-tunerserver-0', 'mnist-tuner-0'],
    ],
  ])('%s', (_what, roles, made) => {
    const { create, remove } = planOf(roles);
    expect(names(create.pods)).toEqual(made);
    expect(remove.pods).toEqual([]);
  });

  it('is of all pods at once under a gang scheduler, which would wait for those that are held back', () => {
    const roles = { Scheduler: '-', Server: '-', Worker: '--' };
    expect(names(planOf(roles, {}, 'coscheduler').create.pods)).toEqual([SCHEDULER, ...OTHERS]);
  });

  it.each<[seconds: number, gangSchedulerName: string, told: string | undefined]>([
    [4, '', undefined],
    [5, '', 'StartOrder: No pods of Server are made before the Scheduler runs.'],
    [5, 'coscheduler', undefined],
  ])('is told %s seconds after it began under gang scheduler "%s" to wait: %s', (seconds, gangSchedulerName, told) => {
    const roles = { Scheduler: 'P', Server: '-', Worker: '--' };
    const nowMs = Date.UTC(2030, 0, 1);
    const status = { startTime: new Date(nowMs - seconds * 1000).toISOString() };
    const job = { ...mxJob(roles), status };
    const world = { ...newWorld(job, nowMs), pods: podsOfRoles(job, CONTAINER, roles) };
    const plan = planned(planJob(mxAdapter(), world, { ...SETTINGS, gang: gangSchedulerNamed(gangSchedulerName) }));
    const found = plan.status?.conditions?.find(({ type }) => type === 'Waiting');
    expect(found && `${found.reason}: ${found.message}`).toBe(told);
    if (seconds === 4) expect(plan.requeueAfterMs).toBeLessThanOrEqual(1000);
  });

  it('finds its Services, which no pod waits for', () => {
    const { create } = planOf({ Scheduler: '-', Server: '-', Worker: '--' });
    expect(names(create.services)).toEqual(['mnist', SCHEDULER]);
  });
});

describe('the end of an MXJob', () => {
  const TRAINED = { Scheduler: 'R', Server: 'RR', Worker: 'SS' };
  const ENDLESS = ['mnist-scheduler-0', 'mnist-server-0', 'mnist-server-1'];

  it.each<[what: string, policy: 'None' | 'Running' | 'All' | undefined, removed: string[]]>([
    ['stops scheduler and servers, which need not end by themselves', undefined, ENDLESS],
    ['stops nobody under None', 'None', []],
    ['stops what runs under Running', 'Running', ENDLESS],
    ['removes every pod under All', 'All', [...ENDLESS, 'mnist-worker-0', 'mnist-worker-1']],
  ])('%s', (_what, cleanPodPolicy, removed) => {
    expect(names(planOf(TRAINED, cleanPodPolicy && { cleanPodPolicy }).remove.pods)).toEqual(removed);
  });

  it('stops scheduler and servers of training that has failed, too, and no worker', () => {
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
  ])('that is labelled as master, and that others address, in %s', (_what, roles, labelled, addressed) => {
    const { create } = planOf(roles);
    const masters = create.pods.filter(({ metadata }) => metadata?.labels?.[LABELS.jobRole] === 'master');
    expect(names(masters)).toEqual([labelled]);
    expect(names(create.services)).toEqual(['mnist', ...(addressed === undefined ? [] : [addressed])]);
  });
});

describe('an MXJob from before the rules', () => {
  it('is read though it has no run policy', () => {
    const { runPolicy: _, ...spec } = mxJob({ Worker: '-' }).spec;
    const old = { ...mxJob({ Worker: '-' }), spec } as MXJob;
    expect(mxAdapter().read(old, newWorld(old, 0)).roles).toHaveLength(1);
  });

  it('that runs has not succeeded when its workers are scaled down to none', () => {
    const roles = { Scheduler: 'R', Server: 'R', Worker: '' };
    const conditions = [{ type: 'Running', status: 'True', reason: 'Runs' }] as const;
    const job = { ...mxJob(roles), status: { conditions: [...conditions] } };
    const world = { ...newWorld(job, Date.UTC(2030, 0, 1)), pods: podsOfRoles(job, CONTAINER, roles) };
    const { status, remove } = planned(planJob(mxAdapter(), world, SETTINGS));
    expect([status?.state, names(remove.pods)]).toEqual(['Running', []]);
  });

  it('with a port that clashes is told where', () => {
    const { spec, ...job } = mxJob({ Worker: '-' });
    const logs = { name: 'logs', image: 'registry.example/logs:1', ports: [{ containerPort: 9091 }] };
    const template = { spec: { containers: [{ name: CONTAINER, image: 'registry.example/train:1' }, logs] } };
    const problems = mxAdapter().problems({ ...job, spec: { ...spec, mxReplicaSpecs: { Worker: { template } } } });
    expect(problems.map(({ path }) => path)).toEqual([
      'spec.mxReplicaSpecs[Worker].template.spec.containers[1].ports[0].containerPort',
    ]);
  });
});
