/** Roles that wait for others by the job's own word. */
import type { StartOrder } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import type { PlainPod } from '../../test-support/plain-pod.ts';
import { namesOf, SETTINGS, worldOf, type PlainWorld } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { Scheduling } from '../contract/facets.ts';
import { gangSchedulerNamed } from './gang-scheduler-named.ts';
import { objectsOf } from '../reconcile/objects-of.ts';
import { planJob } from '../reconcile/plan-job.ts';
import { planned } from '../../test-support/planned.ts';

const ROLES = [
  { name: 'Master', replicas: 1 },
  { name: 'Server', replicas: 2 },
  { name: 'Worker', replicas: 1 },
];
const CHAIN: StartOrder = [
  { role: 'Server', dependsOn: ['Master'] },
  { role: 'Worker', dependsOn: ['Server'], status: 'Ready' },
];
const MASTER: PlainPod = { role: 'master', index: 0 };
const SERVERS: PlainPod[] = [
  { role: 'server', index: 0 },
  { role: 'server', index: 1 },
];
const UNREADY: PlainPod = { ...SERVERS[1]!, ready: false };
const SERVER_NAMES = ['job-server-0', 'job-server-1'];

interface Case extends PlainWorld {
  readonly order?: StartOrder;
  readonly scheduling?: Scheduling;
  readonly gang?: string;
}

function adapterOf({ scheduling, roles = ROLES }: Case): FrameworkAdapter {
  return { ...plainAdapter({ roles }), ...(scheduling && { scheduling }) };
}

function worldFor({ order = CHAIN, runPolicy, ...world }: Case) {
  return worldOf({ roles: ROLES, ...world, runPolicy: { ...runPolicy, startOrder: order } });
}

function planOf(each: Case) {
  const gang = gangSchedulerNamed(each.gang ?? '');
  return planned(planJob(adapterOf(each), worldFor(each), { ...SETTINGS, gang }));
}

const made = (each: Case) => namesOf(planOf(each).create.pods);
const notes = (each: Case) =>
  planOf(each)
    .events.filter(({ reason }) => reason === 'WaitingForRole')
    .map(({ note }) => note);
const problems = (each: Case) =>
  planOf(each)
    .status?.conditions?.filter(({ type, reason }) => type === 'Failed' && reason === 'InvalidSpec')
    .map(({ message }) => message);

/** Workers wait for all others. */
const LAST_OF_ALL: Scheduling = {
  mayStart: (_job, { name }, tallies) =>
    name !== 'Worker' || tallies.every(({ role, running }) => role.name === 'Worker' || running === role.replicas),
};

describe('a role that waits for others', () => {
  it.each<[what: string, each: Case, pods: string[]]>([
    ['is not made with a new job', {}, ['job-master-0']],
    ['is not made while they are pending', { pods: [{ ...MASTER, phase: 'Pending' }] }, []],
    ['is made when they run', { pods: [MASTER] }, SERVER_NAMES],
    [
      'is made when they have succeeded',
      { pods: [MASTER, ...SERVERS.map((pod) => ({ ...pod, phase: 'Succeeded' as const, exit: 0 }))] },
      ['job-worker-0'],
    ],
    ['is not made while one of them is missing', { pods: [MASTER, SERVERS[0]!] }, ['job-server-1']],
    ['is not made while they run and are not ready', { pods: [MASTER, SERVERS[0]!, UNREADY] }, []],
    ['is made when they are ready', { pods: [MASTER, ...SERVERS] }, ['job-worker-0']],
    ['stays when one of them is gone, and has it made', { pods: [...SERVERS, { index: 0 }] }, ['job-master-0']],
    [
      'does not wait for replicas without which an elastic job goes on',
      {
        pods: [MASTER, SERVERS[0]!, { ...SERVERS[1]!, phase: 'Pending' }],
        scheduling: { leastReplicas: (_job, { name, replicas }) => (name === 'Server' ? 1 : replicas) },
      },
      ['job-worker-0'],
    ],
    [
      "waits as the job says, not by its framework's order",
      { order: [{ role: 'Worker', dependsOn: ['Master'] }], pods: [MASTER], scheduling: LAST_OF_ALL },
      [...SERVER_NAMES, 'job-worker-0'],
    ],
    [
      "waits by its framework's order where the job does not name it",
      { order: [{ role: 'Server', dependsOn: ['Master'] }], pods: [MASTER], scheduling: LAST_OF_ALL },
      SERVER_NAMES,
    ],
  ])('%s', (_what, each, pods) => {
    expect(made(each)).toEqual(pods);
    expect(namesOf(planOf(each).remove.pods)).toEqual([]);
  });

  it('waits again when all of the job is made anew', () => {
    const failurePolicy = { rules: [{ action: 'RestartJob' as const }] };
    const run = { runPolicy: { failurePolicy }, status: { startTime: '2020-01-01T00:00:00Z' } };
    const { remove, create } = planOf({ ...run, pods: [{ ...MASTER, phase: 'Failed', exit: 1 }, ...SERVERS] });
    expect(namesOf(remove.pods)).toEqual(['job-master-0', ...SERVER_NAMES]);
    expect(namesOf(create.pods)).toEqual([]);
    const attempt = { ...run.status, attempt: 1 };
    expect(made({ ...run, status: attempt })).toEqual(['job-master-0']);
  });

  it('is said of, with what is missing, once', () => {
    const told = 'No pods of Server are made before 1 of Master is Running (now 0) (spec.runPolicy.startOrder).';
    expect(notes({})[0]).toBe(told);
    expect(notes({ pods: [MASTER, SERVERS[0]!, UNREADY] })).toEqual([
      'No pods of Worker are made before 2 of Server are Ready (now 1) (spec.runPolicy.startOrder).',
    ]);
    expect(notes({ told: ['WaitingForRole Server', 'WaitingForRole Worker'] })).toEqual([]);
    expect(notes({ order: [{ role: 'Server', dependsOn: ['Master'] }], pods: [MASTER] })).toEqual([]);
  });

  it('is left out of the gang, which would never be whole', () => {
    const { ownedResources } = planOf({ gang: 'coscheduler' });
    const [group] = ownedResources.create.map(({ object }) => object as { spec?: { minMember?: number } });
    expect(group?.spec?.minMember).toBe(1);
    expect(ownedResources.create.map(({ object }) => object.metadata?.name)).toEqual([
      'job',
      'job-server',
      'job-worker',
    ]);
    // They are made when all groups are there (`gang-start.spec.ts`).
    expect(made({ gang: 'coscheduler' })).toEqual([]);
  });

  it('is shown with all others to those who ask what a job will have', () => {
    const { manifest } = worldFor({});
    const names = objectsOf(adapterOf({}), manifest, SETTINGS).map(({ metadata }) => metadata?.name);
    expect(names).toEqual(expect.arrayContaining(['job-master-0', ...SERVER_NAMES, 'job-worker-0']));
  });
});

describe('a role that waits for others by an init container', () => {
  const AT_ONCE: StartOrder = [
    { role: 'Server', dependsOn: ['Master'], initContainer: { port: 9 } },
    { role: 'Worker', dependsOn: ['Server', 'Master'], initContainer: { port: 9 } },
  ];
  const ALL = ['job-master-0', ...SERVER_NAMES, 'job-worker-0'];

  it.each<[what: string, each: Case, pods: string[]]>([
    ['is made with a new job', { order: AT_ONCE }, ALL],
    ["is made whatever its framework's order is", { order: AT_ONCE, scheduling: LAST_OF_ALL }, ALL],
    ['is made with its gang', { order: AT_ONCE, gang: 'coscheduler' }, ALL],
    [
      'is made, and one that waits to be made is not',
      { order: [AT_ONCE[0]!, { role: 'Worker', dependsOn: ['Server'] }] },
      ['job-master-0', ...SERVER_NAMES],
    ],
  ])('%s', (_what, each, pods) => {
    expect(made(each)).toEqual(pods);
  });

  it('is said to wait for nothing that keeps its pods from being made', () => {
    expect(notes({ order: AT_ONCE })).toEqual([]);
    expect(notes({ order: AT_ONCE, pods: [{ ...MASTER, phase: 'Pending' }] })).toEqual([]);
  });

  it('is counted by the gang', () => {
    const each: Case = { order: AT_ONCE, gang: 'coscheduler' };
    const [group] = planOf(each).ownedResources.create.map(({ object }) => object as { spec?: { minMember?: number } });
    expect(group?.spec?.minMember).toBe(4);
    expect(problems({ ...each, runPolicy: { schedulingPolicy: { minAvailable: 4 } } })).toEqual([]);
  });

  it('waits in its pods for those of the job that have not succeeded', () => {
    const done: PlainPod = { ...SERVERS[0]!, phase: 'Succeeded', exit: 0 };
    const { create } = planOf({ order: AT_ONCE, pods: [MASTER, done, SERVERS[1]!] });
    const waits = create.pods.flatMap(({ spec }) => spec?.initContainers ?? []);
    expect(waits.map(({ name, env }) => [name, env?.find((each) => each.name === 'IP_LIST')?.value])).toEqual([
      ['wait-for-master', 'job-master-0.job.team.svc'],
      ['wait-for-server', 'job-server-1.job.team.svc'],
    ]);
  });
});

describe('an order that can never come to pass', () => {
  const serversWaitForWorkers: Scheduling = {
    mayStart: (_job, { name }, tallies) =>
      name !== 'Server' || tallies.some(({ role, running }) => role.name === 'Worker' && running > 0),
  };

  it.each<[what: string, each: Case, problem: string]>([
    [
      "is a circle with the framework's own",
      { order: [{ role: 'Worker', dependsOn: ['Server'] }], scheduling: serversWaitForWorkers },
      'spec.runPolicy.startOrder: Server and Worker would wait for one another for ever',
    ],
    [
      'names a role to wait that the job has not',
      { order: [{ role: 'Chief', dependsOn: ['Master'] }] },
      'spec.runPolicy.startOrder[0].role: the job has no role Chief: remove it here, or add the role',
    ],
    [
      'names a role to wait for that the job has not',
      { order: [{ role: 'Worker', dependsOn: ['Master', 'Chief'] }] },
      'spec.runPolicy.startOrder[0].dependsOn[1]: the job has no role Chief',
    ],
    [
      "is a circle with the framework's own, also by an init container",
      {
        order: [{ role: 'Worker', dependsOn: ['Server'], initContainer: { port: 9 } }],
        scheduling: serversWaitForWorkers,
      },
      'spec.runPolicy.startOrder: Server and Worker would wait for one another for ever',
    ],
    [
      'has an init container wait on no port',
      { order: [{ role: 'Worker', dependsOn: ['Server'], initContainer: {} }] },
      'spec.runPolicy.startOrder[0].initContainer.port: say on which port pods of Server listen',
    ],
    [
      'has an init container wait for too many pods',
      {
        order: [{ role: 'Worker', dependsOn: ['Server'], initContainer: { port: 9 } }],
        roles: [...ROLES.filter(({ name }) => name !== 'Server'), { name: 'Server', replicas: 501 }],
      },
      'spec.runPolicy.startOrder[0].initContainer: would wait for 501 pods of Server, and an init container can wait for 500',
    ],
    [
      'has a gang count pods that wait',
      { runPolicy: { schedulingPolicy: { minAvailable: 2 } } },
      'spec.runPolicy.schedulingPolicy.minAvailable: must be at most 1: by startOrder pods of Server and Worker are made only',
    ],
  ])('%s', (_what, each, problem) => {
    const plan = problems(each);
    expect(plan).toHaveLength(1);
    expect(plan?.[0]).toContain(problem);
    expect(made(each)).toEqual([]);
  });

  it.each<[what: string, servers: number, port: number | undefined]>([
    ['as many pods as it can', 500, 9],
    ['a role that says its port, beside one that it does not wait for', 1, undefined],
  ])('is not one where an init container waits for %s', (_what, replicas, port) => {
    const roles = ROLES.map((role) => (role.name === 'Server' ? { ...role, replicas, port: 29_500 } : role));
    const initContainer = port === undefined ? {} : { port };
    const each: Case = { order: [{ role: 'Worker', dependsOn: ['Server'], initContainer }], roles };
    expect([problems(each), made(each)]).toEqual([[], expect.arrayContaining(['job-worker-0'])]);
  });

  it('is not one where a gang counts only pods that are made first', () => {
    const each: Case = { runPolicy: { schedulingPolicy: { minAvailable: 1 } } };
    expect([problems(each), made(each)]).toEqual([[], ['job-master-0']]);
  });

  it('is not one where the job names the roles that wait by themselves', () => {
    const order: StartOrder = [
      { role: 'Server', dependsOn: ['Master'] },
      { role: 'Worker', dependsOn: ['Server'] },
    ];
    expect(problems({ order, scheduling: serversWaitForWorkers })).toEqual([]);
  });

  it('holds back nothing of a job that runs, but is told', () => {
    const status = { observedGeneration: 1, conditions: [{ type: 'Running' as const, status: 'True' as const }] };
    const order: StartOrder = [{ role: 'Chief', dependsOn: ['Master'] }];
    const { events, remove } = planOf({ order, status, generation: 2, pods: [MASTER, ...SERVERS, { index: 0 }] });
    expect(events.map(({ reason }) => reason)).toContain('InvalidChange');
    expect(namesOf(remove.pods)).toEqual([]);
  });
});
