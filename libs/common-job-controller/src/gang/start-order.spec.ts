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

const createdPods = (each: Case) => namesOf(planOf(each).create.pods);
const notes = (each: Case) =>
  planOf(each)
    .events.filter(({ reason }) => reason === 'WaitingForRole')
    .map(({ note }) => note);
const problems = (each: Case) =>
  planOf(each)
    .status?.conditions?.filter(({ type, reason }) => type === 'Failed' && reason === 'InvalidSpec')
    .map(({ message }) => message);

const LAST_OF_ALL: Scheduling = {
  mayStart: (_job, { name }, tallies) =>
    name !== 'Worker' || tallies.every(({ role, running }) => role.name === 'Worker' || running === role.replicas),
};

describe('a role that waits for others', () => {
  it.each<[what: string, each: Case, pods: string[]]>([
    ['is not created with a new job', {}, ['job-master-0']],
    ['is not created while they are Pending', { pods: [{ ...MASTER, phase: 'Pending' }] }, []],
    ['is created when they are Running', { pods: [MASTER] }, SERVER_NAMES],
    [
      'is created when they have succeeded',
      { pods: [MASTER, ...SERVERS.map((pod) => ({ ...pod, phase: 'Succeeded' as const, exit: 0 }))] },
      ['job-worker-0'],
    ],
    ['is not created while one of them is missing', { pods: [MASTER, SERVERS[0]!] }, ['job-server-1']],
    ['is not created while they are Running but not Ready', { pods: [MASTER, SERVERS[0]!, UNREADY] }, []],
    ['is created when they are Ready', { pods: [MASTER, ...SERVERS] }, ['job-worker-0']],
    ['is kept when one of them is lost and recreated', { pods: [...SERVERS, { index: 0 }] }, ['job-master-0']],
    [
      'does not wait for replicas above the minimum of an elastic job',
      {
        pods: [MASTER, SERVERS[0]!, { ...SERVERS[1]!, phase: 'Pending' }],
        scheduling: { leastReplicas: (_job, { name, replicas }) => (name === 'Server' ? 1 : replicas) },
      },
      ['job-worker-0'],
    ],
    [
      "follows the job's order rather than its framework's",
      { order: [{ role: 'Worker', dependsOn: ['Master'] }], pods: [MASTER], scheduling: LAST_OF_ALL },
      [...SERVER_NAMES, 'job-worker-0'],
    ],
    [
      "follows its framework's order if the job does not name it",
      { order: [{ role: 'Server', dependsOn: ['Master'] }], pods: [MASTER], scheduling: LAST_OF_ALL },
      SERVER_NAMES,
    ],
  ])('%s', (_what, each, pods) => {
    expect(createdPods(each)).toEqual(pods);
    expect(namesOf(planOf(each).remove.pods)).toEqual([]);
  });

  it('waits again when the whole job is restarted', () => {
    const failurePolicy = { rules: [{ action: 'RestartJob' as const }] };
    const run = { runPolicy: { failurePolicy }, status: { startTime: '2020-01-01T00:00:00Z' } };
    const { remove, create } = planOf({ ...run, pods: [{ ...MASTER, phase: 'Failed', exit: 1 }, ...SERVERS] });
    expect(namesOf(remove.pods)).toEqual(['job-master-0', ...SERVER_NAMES]);
    expect(namesOf(create.pods)).toEqual([]);
    const attempt = { ...run.status, attempt: 1 };
    expect(createdPods({ ...run, status: attempt })).toEqual(['job-master-0']);
  });

  it('is reported once, with what it waits for', () => {
    const note = 'No pods of Server are created before 1 of Master is Running (now 0) (spec.runPolicy.startOrder).';
    expect(notes({})[0]).toBe(note);
    expect(notes({ pods: [MASTER, SERVERS[0]!, UNREADY] })).toEqual([
      'No pods of Worker are created before 2 of Server are Ready (now 1) (spec.runPolicy.startOrder).',
    ]);
    expect(notes({ emittedEvents: ['WaitingForRole Server', 'WaitingForRole Worker'] })).toEqual([]);
    expect(notes({ order: [{ role: 'Server', dependsOn: ['Master'] }], pods: [MASTER] })).toEqual([]);
  });

  it('is excluded from the gang, which would never be complete', () => {
    const { ownedResources } = planOf({ gang: 'coscheduler' });
    const [group] = ownedResources.create.map(({ object }) => object as { spec?: { minMember?: number } });
    expect(group?.spec?.minMember).toBe(1);
    expect(ownedResources.create.map(({ object }) => object.metadata?.name)).toEqual([
      'job',
      'job-server',
      'job-worker',
    ]);
    // They are created when all groups exist (`gang-start.spec.ts`).
    expect(createdPods({ gang: 'coscheduler' })).toEqual([]);
  });

  it("is included in the preview of a job's pods", () => {
    const { manifest } = worldFor({});
    const names = objectsOf(adapterOf({}), manifest, SETTINGS).map(({ metadata }) => metadata?.name);
    expect(names).toEqual(expect.arrayContaining(['job-master-0', ...SERVER_NAMES, 'job-worker-0']));
  });
});

describe('a role that waits for others in an init container', () => {
  const AT_ONCE: StartOrder = [
    { role: 'Server', dependsOn: ['Master'], initContainer: { port: 9 } },
    { role: 'Worker', dependsOn: ['Server', 'Master'], initContainer: { port: 9 } },
  ];
  const ALL = ['job-master-0', ...SERVER_NAMES, 'job-worker-0'];

  it.each<[what: string, each: Case, pods: string[]]>([
    ['is created with a new job', { order: AT_ONCE }, ALL],
    ["is created in spite of its framework's order", { order: AT_ONCE, scheduling: LAST_OF_ALL }, ALL],
    ['is created with its gang', { order: AT_ONCE, gang: 'coscheduler' }, ALL],
    [
      'is created, and a role that waits without pods is not',
      { order: [AT_ONCE[0]!, { role: 'Worker', dependsOn: ['Server'] }] },
      ['job-master-0', ...SERVER_NAMES],
    ],
  ])('%s', (_what, each, pods) => {
    expect(createdPods(each)).toEqual(pods);
  });

  it('is not reported as waiting', () => {
    expect(notes({ order: AT_ONCE })).toEqual([]);
    expect(notes({ order: AT_ONCE, pods: [{ ...MASTER, phase: 'Pending' }] })).toEqual([]);
  });

  it('is counted by the gang', () => {
    const each: Case = { order: AT_ONCE, gang: 'coscheduler' };
    const [group] = planOf(each).ownedResources.create.map(({ object }) => object as { spec?: { minMember?: number } });
    expect(group?.spec?.minMember).toBe(4);
    expect(problems({ ...each, runPolicy: { schedulingPolicy: { minAvailable: 4 } } })).toEqual([]);
  });

  it('waits for pods that have not succeeded', () => {
    const done: PlainPod = { ...SERVERS[0]!, phase: 'Succeeded', exit: 0 };
    const { create } = planOf({ order: AT_ONCE, pods: [MASTER, done, SERVERS[1]!] });
    const waits = create.pods.flatMap(({ spec }) => spec?.initContainers ?? []);
    expect(waits.map(({ name, env }) => [name, env?.find((each) => each.name === 'IP_LIST')?.value])).toEqual([
      ['wait-for-master', 'job-master-0.job.team.svc'],
      ['wait-for-server', 'job-server-1.job.team.svc'],
    ]);
  });
});

describe('an impossible start order', () => {
  const serversWaitForWorkers: Scheduling = {
    mayStart: (_job, { name }, tallies) =>
      name !== 'Server' || tallies.some(({ role, running }) => role.name === 'Worker' && running > 0),
  };

  it.each<[what: string, each: Case, problem: string]>([
    [
      "is a cycle with the framework's order",
      { order: [{ role: 'Worker', dependsOn: ['Server'] }], scheduling: serversWaitForWorkers },
      'spec.runPolicy.startOrder: Server and Worker would wait for each other forever',
    ],
    [
      'names a waiting role that the job does not have',
      { order: [{ role: 'Chief', dependsOn: ['Master'] }] },
      'spec.runPolicy.startOrder[0].role: the job has no role Chief: remove it here, or add the role',
    ],
    [
      'names an awaited role that the job does not have',
      { order: [{ role: 'Worker', dependsOn: ['Master', 'Chief'] }] },
      'spec.runPolicy.startOrder[0].dependsOn[1]: the job has no role Chief',
    ],
    [
      "is a cycle with the framework's order through an init container",
      {
        order: [{ role: 'Worker', dependsOn: ['Server'], initContainer: { port: 9 } }],
        scheduling: serversWaitForWorkers,
      },
      'spec.runPolicy.startOrder: Server and Worker would wait for each other forever',
    ],
    [
      'has an init container without a port',
      { order: [{ role: 'Worker', dependsOn: ['Server'], initContainer: {} }] },
      'spec.runPolicy.startOrder[0].initContainer.port: Required value: the port on which pods of Server listen',
    ],
    [
      'has an init container that waits for too many pods',
      {
        order: [{ role: 'Worker', dependsOn: ['Server'], initContainer: { port: 9 } }],
        roles: [...ROLES.filter(({ name }) => name !== 'Server'), { name: 'Server', replicas: 501 }],
      },
      'spec.runPolicy.startOrder[0].initContainer: would wait for 501 pods of Server, but an init container can wait for at most 500',
    ],
    [
      'has a gang that counts waiting pods',
      { runPolicy: { schedulingPolicy: { minAvailable: 2 } } },
      'spec.runPolicy.schedulingPolicy.minAvailable: must be at most 1: startOrder creates pods of Server and Worker only',
    ],
  ])('%s', (_what, each, problem) => {
    const plan = problems(each);
    expect(plan).toHaveLength(1);
    expect(plan?.[0]).toContain(problem);
    expect(createdPods(each)).toEqual([]);
  });

  it.each<[what: string, servers: number, port: number | undefined]>([
    ['the maximum of pods', 500, 9],
    ['a role with a port beside a role it does not wait for', 1, undefined],
  ])('is not reported for an init container that waits for %s', (_what, replicas, port) => {
    const roles = ROLES.map((role) => (role.name === 'Server' ? { ...role, replicas, port: 29_500 } : role));
    const initContainer = port === undefined ? {} : { port };
    const each: Case = { order: [{ role: 'Worker', dependsOn: ['Server'], initContainer }], roles };
    expect([problems(each), createdPods(each)]).toEqual([[], expect.arrayContaining(['job-worker-0'])]);
  });

  it('is not reported if a gang counts only pods that are created first', () => {
    const each: Case = { runPolicy: { schedulingPolicy: { minAvailable: 1 } } };
    expect([problems(each), createdPods(each)]).toEqual([[], ['job-master-0']]);
  });

  it('is not reported if the job names roles that the framework delays', () => {
    const order: StartOrder = [
      { role: 'Server', dependsOn: ['Master'] },
      { role: 'Worker', dependsOn: ['Server'] },
    ];
    expect(problems({ order, scheduling: serversWaitForWorkers })).toEqual([]);
  });

  it('is reported for a running job without effect on its pods', () => {
    const status = { observedGeneration: 1, conditions: [{ type: 'Running' as const, status: 'True' as const }] };
    const order: StartOrder = [{ role: 'Chief', dependsOn: ['Master'] }];
    const { events, remove } = planOf({ order, status, generation: 2, pods: [MASTER, ...SERVERS, { index: 0 }] });
    expect(events.map(({ reason }) => reason)).toContain('InvalidChange');
    expect(namesOf(remove.pods)).toEqual([]);
  });
});
