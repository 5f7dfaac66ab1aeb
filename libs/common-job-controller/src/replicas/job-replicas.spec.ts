import { ANNOTATIONS, type JobStatus, type RestartPolicy } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { at, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { jobOf, namesOf, type PlainWorld } from '../../test-support/plain-world.ts';
import { needsRestart } from '../restarts/failure-rule.ts';
import { jobReplicas, tallies } from './job-replicas.ts';

function replicasOf(world: PlainWorld) {
  const { wanted, surplus } = jobReplicas(plainAdapter(world), jobOf(world), world.pods?.map(plainPod) ?? []);
  return {
    wanted: wanted.map(({ role, index, state, blockedBy }) => `${role.name}-${index} ${blockedBy ?? state}`),
    surplus: namesOf(surplus),
  };
}

const ROLES = [
  { name: 'Master', replicas: 1 },
  { name: 'Worker', replicas: 2 },
];

describe('jobReplicas', () => {
  it.each<[string, PlainWorld, wanted: string[], surplus?: string[]]>([
    [
      'are missing in a new job, in the order of roles',
      { roles: ROLES },
      ['Master-0 missing', 'Worker-0 missing', 'Worker-1 missing'],
    ],
    [
      'are matched by role and index in any order of pods',
      { roles: ROLES, pods: [{ index: 1 }, { role: 'master', phase: 'Pending' }] },
      ['Master-0 pending', 'Worker-0 missing', 'Worker-1 running'],
    ],
    ["do not match pods above the role's size", { pods: [{ index: 1 }] }, ['Worker-0 missing'], ['job-worker-1']],
    ['do not match pods of a removed role', { pods: [{ role: 'ps' }] }, ['Worker-0 missing'], ['job-ps-0']],
    ['do not match a pod without an index', { pods: [{ index: -1 }] }, ['Worker-0 missing'], ['job-worker--1']],
    [
      "do not match a pod with another replica's labels",
      { pods: [{ index: 0 }, { index: 0, name: 'job-worker-1', phase: 'Failed', exit: 1 }] },
      ['Worker-0 running'],
      ['job-worker-1'],
    ],
    [
      'wait for the name that such a pod holds',
      { workers: 2, pods: [{ index: 0 }, { index: 0, name: 'job-worker-1' }] },
      ['Worker-0 running', 'Worker-1 name'],
      ['job-worker-1'],
    ],
    [
      'are scaled down by name',
      {
        workers: 1,
        pods: [{ index: 0 }, { index: 1 }],
        annotations: { [ANNOTATIONS.scaleDownPods]: ' job-worker-0 , x' },
      },
      ['Worker-1 running'],
      ['job-worker-0'],
    ],
    ...['', ',', 'job-worker-7,'].map((names): [string, PlainWorld, string[], string[]] => [
      `are scaled down from the highest index if the annotation names none of them: "${names}"`,
      {
        workers: 2,
        pods: [{ index: 1 }, { index: 2 }],
        annotations: { [ANNOTATIONS.scaleDownPods]: names },
      },
      ['Worker-0 missing', 'Worker-1 running'],
      ['job-worker-2'],
    ]),
    [
      'keep the recorded holes',
      { workers: 2, pods: [], status: { replicaStatuses: { Worker: { indexes: '0,2' } } } },
      ['Worker-0 missing', 'Worker-2 missing'],
    ],
    [
      'have succeeded if that is recorded, also if the pod is gone or runs',
      { workers: 3, pods: [{ index: 2 }], status: { replicaStatuses: { Worker: { succeededIndexes: '0,2' } } } },
      ['Worker-0 succeeded', 'Worker-1 missing', 'Worker-2 succeeded'],
    ],
    [
      'are missing without a pod in spite of a recorded success, while another pod of the replica runs',
      {
        roles: [{ name: 'Worker', replicas: 2, podsPerReplica: 2 }],
        pods: [{ index: 1 }],
        status: { replicaStatuses: { Worker: { succeededIndexes: '0' } } },
      },
      ['Worker-0 missing', 'Worker-1 running'],
    ],
    [
      'ignore the record after the role has shrunk and grown again',
      { workers: 2, pods: [], status: { replicaStatuses: { Worker: { succeededIndexes: '5-7' } } } },
      ['Worker-0 missing', 'Worker-1 missing'],
    ],
  ])('%s', (_case, world, wanted, surplus = []) => {
    expect(replicasOf(world)).toEqual({ wanted, surplus });
  });
});

describe('a replica whose pod is gone', () => {
  const ROLE = {
    workers: 2,
    pods: [{ index: 0, attempt: 1 }],
    status: { replicaStatuses: { Worker: { attempt: 1 } } },
  } satisfies PlainWorld;

  it.each<[string, PlainPod, string]>([
    ['has succeeded if that pod had', { phase: 'Succeeded', exit: 0 }, 'succeeded'],
    ['is missing if that pod ran', { phase: 'Running', deleted: 0 }, 'missing'],
    ['is missing if that pod had failed', { phase: 'Failed', exit: 1 }, 'missing'],
    ['is missing if that pod was of an earlier attempt', { phase: 'Succeeded', exit: 0, attempt: 0 }, 'missing'],
    ['is missing if that pod was of an earlier job', { phase: 'Succeeded', exit: 0, owner: { uid: 'x' } }, 'missing'],
    [
      'is not affected by the end of an earlier pod of another replica',
      { index: 0, phase: 'Succeeded', exit: 0 },
      'missing',
    ],
  ])('%s', (_case, gone, state) => {
    expect(statesOf(ROLE, gone)).toEqual(['running', state]);
  });

  it.each<[string, JobStatus, string]>([
    [
      'counts if the pod was created after the last resume',
      { startTime: at(-60), conditions: suspended('False') },
      'succeeded',
    ],
    ['does not count if the pod was created before', { startTime: at(-59), conditions: suspended('False') }, 'missing'],
    ['does not count until a resume is recorded', { startTime: at(-60), conditions: suspended('True') }, 'missing'],
  ])('and had succeeded %s', (_case, status, state) => {
    const world = { ...ROLE, status: { ...ROLE.status, ...status } };
    expect(statesOf(world, { phase: 'Succeeded', exit: 0, created: -60 })).toEqual(['running', state]);
  });

  function statesOf(world: PlainWorld & Pick<typeof ROLE, 'pods'>, gone: PlainPod): string[] {
    const deletedPods = [plainPod({ index: 1, attempt: 1, ...gone })];
    const { wanted } = jobReplicas(plainAdapter(world), jobOf(world), world.pods.map(plainPod), { deletedPods });
    return wanted.map((replica) => replica.state);
  }

  function suspended(status: 'True' | 'False') {
    return [{ type: 'Suspended', status }];
  }
});

describe('needsRestart', () => {
  const POLICIES: RestartPolicy[] = ['Always', 'OnFailure', 'Never', 'ExitCode'];
  /** Whether the replica is recreated (`+` or `-`) with Always, OnFailure, Never and ExitCode. */
  const outcomes = (pod: PlainPod) =>
    POLICIES.map((restartPolicy) => {
      const [role] = jobOf({ roles: [{ name: 'Worker', replicas: 1, restartPolicy }] }).roles;
      if (role === undefined) throw new Error('a plain job has a role');
      const { wanted } = jobReplicas(plainAdapter({}), { ...jobOf(), roles: [role] }, [plainPod(pod)]);
      return wanted.every((replica) => needsRestart(replica)) ? '+' : '-';
    }).join('');

  it.each<[string, PlainPod, string]>([
    ['exit code 1', { phase: 'Failed', exit: 1 }, '++--'],
    ['exit code 127', { phase: 'Failed', exit: 127 }, '++--'],
    ['exit code 128', { phase: 'Failed', exit: 128 }, '++-+'],
    ['an OOM kill', { phase: 'Failed', exit: 137 }, '++-+'],
    ['a lost exit code', { phase: 'Failed' }, '++-+'],
    ['eviction', { phase: 'Failed', reason: 'Evicted', disrupted: true, exit: 1 }, '++++'],
    ['eviction because of its disk usage', { phase: 'Failed', reason: 'Evicted', exit: 137 }, '++-+'],
    ['a refusal by its node', { phase: 'Failed', reason: 'OutOfcpu' }, '++++'],
    ['preemption', { phase: 'Failed', disrupted: true, exit: 1 }, '++++'],
    ['a retryable code while a sidecar runs', { phase: 'Running', exit: 143 }, '++-+'],
    ['a permanent code while a sidecar runs', { phase: 'Running', exit: 1 }, '++--'],
    ['success', { phase: 'Succeeded', exit: 0 }, '----'],
    ['deletion', { phase: 'Failed', exit: 137, deleted: -1 }, '----'],
    ['nothing', {}, '----'],
  ])('decides with Always, OnFailure, Never and ExitCode after %s', (_case, pod, expected) => {
    expect(outcomes(pod)).toBe(expected);
  });
});

describe('tallies', () => {
  it('count running, succeeded and permanently failed replicas by role', () => {
    const world: PlainWorld = {
      roles: [ROLES[0]!, { name: 'Worker', replicas: 6 }],
      pods: [
        { role: 'master' },
        { index: 0, phase: 'Succeeded' },
        { index: 1, phase: 'Failed', exit: 1 },
        { index: 2, phase: 'Failed', exit: 137 },
        { index: 3, phase: 'Pending' },
        { index: 4, deleted: -1 },
      ],
    };
    const job = jobOf(world);
    const { wanted } = jobReplicas(plainAdapter(world), job, world.pods?.map(plainPod) ?? []);
    expect(tallies(job, wanted)).toMatchObject([
      { role: { name: 'Master' }, running: 1, succeeded: 0, failed: 0 },
      { role: { name: 'Worker' }, running: 0, succeeded: 1, failed: 1 },
    ]);
  });

  it.each<[string, PlainPod[], boolean]>([
    ['it has', [{ index: 0, phase: 'Succeeded' }, { index: 1 }], true],
    ['another replica has', [{ index: 0 }, { index: 1, phase: 'Succeeded' }], false],
  ])('show whether the first replica has succeeded if %s', (_case, pods, hasFirstSucceeded) => {
    const job = jobOf({ workers: 2 });
    const { wanted } = jobReplicas(plainAdapter({}), job, pods.map(plainPod));
    expect(tallies(job, wanted)).toMatchObject([{ succeeded: 1, hasFirstSucceeded }]);
  });
});
