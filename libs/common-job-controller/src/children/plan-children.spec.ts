import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import type { PlainPod } from '../../test-support/plain-pod.ts';
import { namesOf, SETTINGS, worldOf } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { RoleTally } from '../model/training-job.ts';
import { gangSchedulerNamed } from '../gang/gang-scheduler-named.ts';
import { planJob } from '../reconcile/plan-job.ts';
import { planned } from '../../test-support/planned.ts';

const ROLES = [
  { name: 'Master', replicas: 2 },
  { name: 'Worker', replicas: 2 },
];

const waiting: FrameworkAdapter = {
  ...plainAdapter({ roles: ROLES }),
  scheduling: {
    mayStart: (_job, role, tallies) =>
      role.name === 'Master' || tallies.some((tally) => tally.role.name === 'Master' && tally.running === 2),
  },
};

function planOf(pods: readonly PlainPod[], adapter = waiting, gangSchedulerName = '') {
  const gang = gangSchedulerNamed(gangSchedulerName);
  return planned(planJob(adapter, worldOf({ roles: ROLES, pods }), { ...SETTINGS, gang }));
}

const MASTERS: PlainPod[] = [
  { role: 'master', index: 0 },
  { role: 'master', index: 1 },
];
const MASTER_NAMES = ['job-master-0', 'job-master-1'];
const WORKER_NAMES = ['job-worker-0', 'job-worker-1'];

describe('a role that waits for another', () => {
  it.each<[what: string, pods: PlainPod[], made: string[]]>([
    ['is not created with a new job', [], MASTER_NAMES],
    ['is not created while an awaited pod is missing', [MASTERS[0]!], ['job-master-1']],
    ['is not created while an awaited pod is pending', [MASTERS[0]!, { ...MASTERS[1]!, phase: 'Pending' }], []],
    ['is created when the awaited pods run', MASTERS, WORKER_NAMES],
    ['gets its missing pods when the awaited pods run', [...MASTERS, { index: 1 }], ['job-worker-0']],
    ['does not get its missing pods while the awaited pods do not run', [MASTERS[0]!, { index: 1 }], ['job-master-1']],
  ])('%s', (_what, pods, made) => {
    const { create, remove } = planOf(pods);
    expect(namesOf(create.pods)).toEqual(made);
    expect(remove.pods).toEqual([]);
  });

  it('always has its Services', () => {
    const world = worldOf({ roles: ROLES, services: [] });
    const { create } = planned(planJob(waiting, world, { ...SETTINGS, serviceMode: 'PerReplica' }));
    expect(namesOf(create.services)).toEqual([...MASTER_NAMES, ...WORKER_NAMES]);
  });

  it('does not wait with a gang scheduler, which places all pods together', () => {
    expect(namesOf(planOf([], waiting, 'coscheduler').create.pods)).toEqual([...MASTER_NAMES, ...WORKER_NAMES]);
  });

  it('gets the tallies of all roles, without replicas to be restarted', () => {
    const seen: RoleTally[][] = [];
    const curious: FrameworkAdapter = {
      ...waiting,
      scheduling: {
        mayStart: (_job, _role, tallies) => {
          seen.push([...tallies]);
          return true;
        },
      },
    };
    planOf(
      [
        { ...MASTERS[0]!, phase: 'Succeeded', exit: 0 },
        { ...MASTERS[1]!, phase: 'Failed', exit: 137 },
        { index: 0, phase: 'Pending' },
        { index: 1, phase: 'Succeeded', exit: 0 },
      ],
      curious,
    );
    expect(seen[0]).toMatchObject([
      { role: { name: 'Master' }, running: 0, succeeded: 1, failed: 0, hasFirstSucceeded: true },
      { role: { name: 'Worker' }, running: 0, succeeded: 1, failed: 0, hasFirstSucceeded: false },
    ]);
  });

  it('is created at once if the framework has no start order', () => {
    expect(namesOf(planOf([], plainAdapter({ roles: ROLES })).create.pods)).toEqual([...MASTER_NAMES, ...WORKER_NAMES]);
  });
});

describe('pods without a controller', () => {
  it.each<[what: string, pod: PlainPod, adopted: boolean]>([
    ['of a replica', { role: 'worker', index: 1 }, true],
    ['of a replica beyond those that the role has', { role: 'worker', index: 7 }, true],
    ['of a role that the job does not have', { role: 'chief', index: 0 }, false],
    ['of another name', { role: 'worker', index: 7, name: 'job-worker-7-copy' }, false],
    ['that are being deleted', { role: 'worker', index: 7, deleted: -1 }, false],
  ])('%s are adopted: %j', (_what, pod, adopted) => {
    const { adopt } = planOf([...MASTERS, { ...pod, owner: 'none' }]);
    expect(adopt.pods.length).toBe(adopted ? 1 : 0);
  });

  it("are deleted after their adoption if they exceed the role's size", () => {
    const beyond = { role: 'worker', index: 7 };
    const { remove } = planOf([...MASTERS, { role: 'worker', index: 0 }, { role: 'worker', index: 1 }, beyond]);
    expect(namesOf(remove.pods)).toEqual(['job-worker-7']);
  });
});
