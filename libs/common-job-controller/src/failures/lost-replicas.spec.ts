import type { JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import type { PlainRole } from '../../test-support/plain-adapter.ts';
import { plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { namesOf, planOf, statusAfter } from '../../test-support/plain-world.ts';

const ADVICE = 'Absent joins again: submit the job again.';
const never: PlainRole = { name: 'Worker', replicas: 2, restartPolicy: 'Never', cannotRejoin: ADVICE };
const both: PlainPod[] = [{ index: 0 }, { index: 1 }];
const EVICTED = { phase: 'Failed', reason: 'Evicted', disrupted: true } as const;

function planAfter(pod: PlainPod | undefined, role: PlainRole = never, before: readonly PlainPod[] = both) {
  const status = statusAfter({ roles: [role], pods: before });
  return planOf({ roles: [role], status, pods: [{ index: 0 }, ...(pod === undefined ? [] : [{ ...pod, index: 1 }])] });
}

const failedMessage = ({ conditions = [] }: JobStatus = {}) =>
  conditions.find(({ type }) => type === 'Failed')?.message;

describe('a replica that cannot rejoin, with restartPolicy Never', () => {
  it.each<[string, PlainPod | undefined, string]>([
    ['is gone', undefined, 'failed. First: pod job-worker-1 was deleted. '],
    ['is being deleted', { deleted: -1 }, 'failed. First: pod job-worker-1 was deleted. '],
    ['was evicted', EVICTED, 'failed. First: pod job-worker-1 was ended by the cluster: Evicted. '],
    [
      'was refused when its kubelet restarted',
      { phase: 'Failed', reason: 'NodeAffinity' },
      'failed. First: pod job-worker-1 was refused by its node: NodeAffinity. ',
    ],
  ])('fails the job if it has run and %s', (_what, pod, message) => {
    const { status, create, counters } = planAfter(pod);
    expect([status?.state, failedMessage(status)]).toEqual(['Failed', message + ADVICE]);
    expect([create.pods, counters, status?.replicaStatuses?.Worker?.failed]).toEqual([[], ['failed'], 1]);
  });

  it('fails the job without advice if its program has failed', () => {
    const { status } = planAfter({ phase: 'Failed', exit: 3 });
    expect(failedMessage(status)).toBe('failed. First: pod job-worker-1, container main: exit code 3');
  });

  const waiting: PlainPod[] = [{ index: 0 }, { index: 1, phase: 'Pending' }];

  it.each<[string, PlainPod | undefined, PlainPod[]]>([
    ['is gone', undefined, waiting],
    ['was refused by its node', { phase: 'Failed', reason: 'OutOfcpu' }, waiting],
    ['was evicted before its start', EVICTED, waiting],
    ['was never created', undefined, [{ index: 0 }]],
  ])('is recreated if it has never run and %s', (_what, pod, before) => {
    const { status, create, remove } = planAfter(pod, never, before);
    expect((status?.state ?? 'Running') === 'Failed').toBe(false);
    expect(namesOf(pod === undefined ? create.pods : remove.pods)).toEqual(['job-worker-1']);
  });

  it('is recorded as started while it runs and after it failed, until the role shrinks', () => {
    const started = (pods: PlainPod[], replicas = 2) =>
      statusAfter({ roles: [never], pods: both }, { roles: [{ ...never, replicas }], pods }).replicaStatuses?.Worker
        ?.startedIndexes;
    expect([started(both), started(both, 1)]).toEqual(['0-1', '0']);
    expect(statusAfter({ roles: [never], pods: waiting }).replicaStatuses?.Worker?.startedIndexes).toBe('0');
  });

  it('is not recorded after a suspension, and earlier pods that still terminate are not lost', () => {
    const suspended = { roles: [never], pods: both, runPolicy: { suspend: true } };
    const status = statusAfter({ roles: [never], pods: both }, suspended);
    const going = both.map((pod) => ({ ...pod, deleted: -1 }));
    expect(planOf({ roles: [never], status, pods: going }).status?.state).toBe('Created');
  });
});

describe.each(['OnFailure', 'Always', 'ExitCode'] as const)(
  'a replica that cannot rejoin, with restartPolicy %s',
  (restartPolicy) => {
    const role = { ...never, restartPolicy };

    it.each<[string, PlainPod | undefined, string]>([
      ['is gone', undefined, 'pod job-worker-1 was deleted. '],
      ['was evicted', EVICTED, 'pod job-worker-1 was ended by the cluster: Evicted. '],
      ['was killed', { phase: 'Failed', exit: 137 }, 'pod job-worker-1, container main: exit code 137. '],
    ])('fails the job and is not recreated if it has run and %s', (_what, pod, cause) => {
      const { status, create, remove } = planAfter(pod, role);
      expect([status?.state, failedMessage(status)]).toEqual(['Failed', `failed. First: ${cause}${ADVICE}`]);
      expect([create.pods, namesOf(remove.pods)]).toEqual([[], []]);
    });

    it('causes one warning when the kubelet restarts its container', () => {
      const status = statusAfter({ roles: [role], pods: both });
      const world = { roles: [role], status, pods: [{ index: 0 }, { index: 1, restarts: 2 }] };
      const { events } = planOf(world);
      const warned = events.filter(({ reason }) => reason === 'RestartedWithoutRejoining');
      expect(warned.map(({ type }) => type)).toEqual(['Warning']);
      expect(warned[0]?.note).toMatch(/main of pod job-worker-1.*Absent joins/s);
      const emitted = warned.flatMap(({ dedupKey }) => dedupKey ?? []);
      expect(planOf({ ...world, emittedEvents: emitted }).events.map(({ reason }) => reason)).not.toContain(
        'RestartedWithoutRejoining',
      );
    });
  },
);

it('a lost replica that can rejoin is recreated', () => {
  const role: PlainRole = { name: 'Worker', replicas: 2, restartPolicy: 'Never' };
  expect(namesOf(planAfter(undefined, role).create.pods)).toEqual(['job-worker-1']);
  expect(namesOf(planAfter(EVICTED, role).remove.pods)).toEqual([plainPod({ index: 1 }).metadata?.name]);
});

it('a container restarted by the kubelet causes no warning about rejoining in a multi-pod replica that can rejoin', () => {
  const roles: PlainRole[] = [{ name: 'Worker', replicas: 2, podsPerReplica: 2 }];
  const pods: PlainPod[] = [{ index: 0 }, { index: 1 }];
  const status = statusAfter({ roles, pods });
  const { events } = planOf({ roles, status, pods: [{ index: 0 }, { index: 1, restarts: 2 }] });
  expect(events.map(({ reason }) => reason)).not.toContain('RestartedWithoutRejoining');
});
