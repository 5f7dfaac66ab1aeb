/** Plans for PaddleJobs by the state of their replicas. Letters: see `podsOfRoles`. */
import { newWorld, planJob } from '@muster/common-job-controller';
import { planned, type Planned } from '@muster/common-job-controller/testing';
import { PADDLE_CONTAINER, LABELS, type PaddleElasticPolicy, type PaddleJob } from '@muster/job-api';
import { podsOfRoles, specsOfRoles, type RolePhases } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { paddleAdapter } from './paddle-adapter.ts';

const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;

interface Shape {
  readonly elasticPolicy?: PaddleElasticPolicy;
  readonly status?: PaddleJob['status'];
  readonly env?: readonly { name: string; value: string }[];
  readonly args?: string[];
  /** The number of workers in the spec. Default: as many as letters. */
  readonly workers?: number;
}

function jobOf(roles: RolePhases, { elasticPolicy, status, env, args, workers }: Shape = {}): PaddleJob {
  const specs = Object.entries(specsOfRoles(PADDLE_CONTAINER, roles)).map(([role, { template, replicas = 1 }]) => {
    const containers = (template.spec?.containers ?? []).map((container) => ({
      ...container,
      ...(env && { env: [...env] }),
      ...(args && { args }),
    }));
    const size = role.toLowerCase() === 'worker' ? (workers ?? replicas) : replicas;
    return [role, { replicas: size, restartPolicy: 'Never' as const, template: { spec: { containers } } }] as const;
  });
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PaddleJob',
    metadata: { name: 'mnist', namespace: 'team', uid: 'uid-1', generation: 1, resourceVersion: '1' },
    spec: {
      runPolicy: { suspend: false },
      ...(elasticPolicy && { elasticPolicy }),
      paddleReplicaSpecs: Object.fromEntries(specs),
    },
    ...(status && { status }),
  };
}

function planOf(roles: RolePhases, shape: Shape = {}): Planned {
  const job = jobOf(roles, shape);
  const world = { ...newWorld(job, Date.UTC(2030, 0, 1)), pods: podsOfRoles(job, PADDLE_CONTAINER, roles) };
  return planned(planJob(paddleAdapter(), world, SETTINGS));
}

const names = (objects: readonly { metadata?: { name?: string } }[]) => objects.map(({ metadata }) => metadata?.name);

describe('the outcome of a PaddleJob', () => {
  it.each<[what: string, roles: RolePhases, state: string]>([
    ['runs while its master does', { Master: 'R', Worker: 'PP' }, 'Running'],
    ['does not run before its master does', { Master: 'P', Worker: 'RR' }, 'Created'],
    ['succeeds with its master', { Master: 'S', Worker: 'RR' }, 'Succeeded'],
    ['does not succeed with its workers', { Master: 'R', Worker: 'SS' }, 'Running'],
    ['succeeds with a master alone', { Master: 'S' }, 'Succeeded'],
    ['fails with its master', { Master: 'F', Worker: 'RR' }, 'Failed'],
    ['fails with a worker', { Master: 'R', Worker: 'RF' }, 'Failed'],
    ['succeeds although a worker has failed, if the master has succeeded', { Master: 'S', Worker: 'SF' }, 'Succeeded'],
    ['without a master runs while a worker does', { Worker: 'RP' }, 'Running'],
    ['without a master does not run before a worker does', { Worker: 'PP' }, 'Created'],
    ['without a master succeeds with all workers', { Worker: 'SS' }, 'Succeeded'],
    ['without a master does not succeed with some workers', { Worker: 'SR' }, 'Running'],
    ['without a master fails with a worker', { Worker: 'SF' }, 'Failed'],
  ])('%s', (_what, roles, state) => {
    expect(planOf(roles).status?.state).toBe(state);
  });

  it.each<[roles: RolePhases, text: string]>([
    [{ Master: 'R', Worker: 'R' }, 'PaddleJob mnist is running.'],
    [{ Master: 'S', Worker: 'S' }, 'PaddleJob mnist is successfully completed.'],
    [{ Master: 'R', Worker: 'FF' }, 'PaddleJob mnist is failed because 2 Worker replica(s) failed.'],
    [{ Worker: 'RR' }, 'PaddleJob team/mnist is running.'],
    [{ Worker: 'SS' }, 'PaddleJob team/mnist successfully completed.'],
  ])("has Kubeflow's message: %j", (roles, text) => {
    const message = planOf(roles).status?.conditions?.at(-1)?.message ?? '';
    expect(message.split(' First: ')[0]).toBe(text);
  });
});

describe('the replica of a PaddleJob that others connect to', () => {
  it.each<[roles: RolePhases, leader: string]>([
    [{ Master: '-', Worker: '--' }, 'mnist-master-0'],
    [{ worker: '--', master: '-' }, 'mnist-master-0'],
    [{ Worker: '--' }, 'mnist-worker-0'],
  ])('has the label of masters, and a Service of its name: %j', (roles, leader) => {
    const { create } = planOf(roles);
    const masters = create.pods.filter(({ metadata }) => metadata?.labels?.[LABELS.jobRole] === 'master');
    expect(names(masters)).toEqual([leader]);
    expect(names(create.services)).toEqual(['mnist', leader]);
  });
});

const ETCD = [{ name: 'PADDLE_MASTER', value: 'etcd://etcd:2379' }];
const BOUNDS = { minReplicas: 1, maxReplicas: 4 };

describe('the environment of Paddle pods', () => {
  const valuesOf = (roles: RolePhases, of: readonly string[], shape: Shape = {}) =>
    planOf(roles, shape).create.pods.map(({ metadata, spec }) => {
      const env = spec?.containers[0]?.env ?? [];
      return [metadata?.name, ...of.map((name) => env.find((variable) => variable.name === name)?.value)];
    });

  it('has the address of worker 0, which uses its own IP address because the launcher compares it', () => {
    expect(valuesOf({ Worker: '--' }, ['PADDLE_JOB_ID', 'PADDLE_NNODES', 'PADDLE_MASTER'])).toEqual([
      ['mnist-worker-0', 'mnist', '2', '$(POD_IP_DUMMY):36543'],
      ['mnist-worker-1', 'mnist', '2', 'mnist-worker-0:36543'],
    ]);
    const [first, second] = planOf({ Worker: '--' }).create.pods;
    const own = { name: 'POD_IP_DUMMY', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } };
    const names = first?.spec?.containers[0]?.env?.map(({ name }) => name);
    expect(first?.spec?.containers[0]?.env).toContainEqual(own);
    expect(names?.indexOf('POD_IP_DUMMY')).toBeLessThan(names?.indexOf('PADDLE_MASTER') ?? 0);
    expect(second?.spec?.containers[0]?.env).not.toContainEqual(own);
  });

  it('has the address of a master, and selects the parameter server mode', () => {
    const variables = ['PADDLE_NNODES', 'PADDLE_MASTER', 'PADDLE_SERVER_NUM', 'PADDLE_TRAINER_NUM'];
    expect(valuesOf({ Master: '-', Worker: '--' }, variables)).toEqual([
      ['mnist-master-0', '3', '$(POD_IP_DUMMY):36543', '1', undefined],
      ['mnist-worker-0', '3', 'mnist-master-0:36543', undefined, '1'],
      ['mnist-worker-1', '3', 'mnist-master-0:36543', undefined, '1'],
    ]);
  });

  const ELASTIC = ['PADDLE_NNODES', 'PADDLE_ELASTIC_LEVEL', 'PADDLE_MAX_RESTART'];

  it.each<[what: string, roles: RolePhases, Shape, values: (string | undefined)[]]>([
    ['is a number without etcd', { Worker: '--' }, { elasticPolicy: BOUNDS }, ['2', undefined, undefined]],
    ['is a range with etcd', { Worker: '--' }, { elasticPolicy: BOUNDS, env: ETCD }, ['1:4', '1', undefined]],
    [
      'is a range with etcd as an option',
      { Worker: '--' },
      { elasticPolicy: { ...BOUNDS, maxRestarts: 5 }, args: ['--master=etcd://etcd:2379', 'train.py'] },
      ['1:4', '1', '5'],
    ],
    ['counts the master', { Master: '-', Worker: '--' }, { elasticPolicy: BOUNDS, env: ETCD }, ['2:5', '1', undefined]],
    ['is a number for a fixed size with etcd', { Worker: '--' }, { env: ETCD }, ['2', undefined, undefined]],
    [
      'has equal bounds if one is set',
      { Worker: '--' },
      { elasticPolicy: { maxReplicas: 3 }, env: ETCD },
      ['3:3', '1', undefined],
    ],
    [
      'starts with the replicas if no bound is set',
      { Worker: '--' },
      { elasticPolicy: {}, env: ETCD },
      ['2:2', '1', undefined],
    ],
  ])('PADDLE_NNODES %s', (_what, roles, shape, values) => {
    expect(valuesOf(roles, ELASTIC, shape)[0]?.slice(1)).toEqual(values);
  });
});

describe('a resize of a running PaddleJob', () => {
  const fixed = (workers: number) =>
    ({ state: 'Running', ready: `${workers}/${workers}`, observedGeneration: 1 }) satisfies PaddleJob['status'];
  const running = (workers: number): PaddleJob['status'] => ({
    ...fixed(workers),
    elastic: { minReplicas: 1, maxReplicas: 4, wanted: workers, granted: workers, reason: 'AsWanted' },
  });
  const outdated = ({ events }: Planned) => events.filter(({ reason }) => reason === 'WorldSizeOutdated').length;

  it.each<[from: string, to: number]>([
    ['RR', 3],
    ['RRR', 2],
  ])('recreates all pods of an elastic job, without counting: from %s to %d workers', (from, to) => {
    const plan = planOf({ Worker: from }, { elasticPolicy: BOUNDS, status: running(from.length), workers: to });
    expect(plan.status).toMatchObject({ state: 'Restarting', attempt: 1, restartCount: 0 });
    expect(plan.status?.elastic).toMatchObject({ wanted: to, granted: to });
    expect(plan.status?.conditions?.at(-1)?.message).toBe(
      `job mnist is restarting all pods to run with ${to} replicas of Worker instead of ${from.length}.`,
    );
    expect(plan.remove.pods.map((pod) => names([pod])[0]).toSorted()).toEqual(
      Array.from(from, (_letter, index) => `mnist-worker-${index}`),
    );
    expect(plan.create.pods).toEqual([]);
    expect(outdated(plan)).toBe(0);
  });

  it('changes only the difference with etcd', () => {
    const shape = { elasticPolicy: BOUNDS, env: ETCD, status: running(2), workers: 3 };
    const plan = planOf({ Worker: 'RR' }, shape);
    expect(plan.status?.attempt).toBeUndefined();
    expect(names(plan.create.pods)).toEqual(['mnist-worker-2']);
    expect(plan.remove.pods).toEqual([]);
    expect(outdated(plan)).toBe(0);
  });

  it('does not restart a job that has reached its end', () => {
    const plan = planOf({ Worker: 'SS' }, { elasticPolicy: BOUNDS, status: running(1), workers: 2 });
    expect(plan.status?.state).toBe('Succeeded');
  });

  it.each<[what: string, Shape]>([
    ['is not elastic', { status: fixed(2), workers: 3 }],
    ['becomes elastic at the same time', { elasticPolicy: BOUNDS, status: fixed(2), workers: 3 }],
  ])('is reported if the job %s', (_what, shape) => {
    const plan = planOf({ Worker: 'RR' }, shape);
    expect(outdated(plan)).toBe(1);
    expect(plan.status?.attempt).toBeUndefined();
  });
});

describe('the autoscaler of an elastic PaddleJob', () => {
  it('is created if the policy has metrics, with the bounds of the policy', () => {
    const autoscalers = (elasticPolicy: PaddleElasticPolicy) =>
      planOf({ Worker: '--' }, { elasticPolicy }).ownedResources.create.flatMap(({ resource, object }) =>
        resource.kind === 'HorizontalPodAutoscaler' ? object : [],
      );
    expect(autoscalers({ ...BOUNDS, metrics: [] })).toMatchObject([
      {
        metadata: { name: 'mnist' },
        spec: {
          scaleTargetRef: { apiVersion: 'kubeflow.org/v1', kind: 'PaddleJob', name: 'mnist' },
          minReplicas: 1,
          maxReplicas: 4,
        },
      },
    ]);
    expect(autoscalers(BOUNDS)).toEqual([]);
  });
});

describe('warnings about a PaddleJob', () => {
  const PATH = 'spec.paddleReplicaSpecs[Worker].template.spec.containers[0].env';
  const OWN = "set here, which overrides Muster's value. Remove it unless that is intended";

  it.each<[what: string, Shape, notes: string[]]>([
    ['has no warning', { env: [{ name: 'EPOCHS', value: '3' }] }, []],
    ['has no warning of a master in etcd', { env: ETCD, elasticPolicy: { ...BOUNDS, maxRestarts: 2 } }, []],
    ['overrides a variable', { env: [{ name: 'PADDLE_NNODES', value: '9' }] }, [`${PATH}: PADDLE_NNODES: ${OWN}`]],
    [
      'has restarts that the launcher does not read',
      { elasticPolicy: { ...BOUNDS, maxRestarts: 2 } },
      [
        "spec.elasticPolicy.maxRestarts: is ignored: Paddle's launcher reads it only if PADDLE_MASTER names an etcd. Use spec.runPolicy.backoffLimit instead",
      ],
    ],
  ])('%s', (_what, shape, notes) => {
    const { events } = planOf({ Worker: '--' }, shape);
    expect(events.filter(({ reason }) => reason === 'SpecWarning').map(({ note }) => note)).toEqual(notes);
  });
});
