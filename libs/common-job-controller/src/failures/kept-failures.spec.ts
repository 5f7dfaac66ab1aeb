import type { JobFailure, JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { at, type PlainPod } from '../../test-support/plain-pod.ts';
import { markOf } from '../model/restart-records.ts';
import { planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';

const RESET = 'RuntimeError: [gloo] Connection closed by peer [10.0.0.7]:41922';

/** With the restart policy ExitCode, replicas killed by a signal are recreated. */
const JOB: PlainWorld = { workers: 3 };

const NO_IMAGE: PlainPod = { index: 1, phase: 'Pending', waits: 'ImagePullBackOff', message: 'no such image' };

const WAITING: readonly (readonly [why: string, pod: PlainPod])[] = [
  ['no node has capacity', { unplaced: '0/2 nodes are available' }],
  ['its containers are created', { waits: 'ContainerCreating' }],
  ['its init containers run', { waits: 'PodInitializing' }],
];

function after(...worlds: readonly PlainWorld[]): JobStatus {
  return statusAfter(...worlds.map((world) => ({ ...JOB, ...world })));
}

function failed(index: number, ended: number, more: PlainPod = {}): PlainPod {
  return { index, phase: 'Failed', exit: 134, ended, ...more };
}

function kept({ firstFailure, failures = [] }: JobStatus): readonly string[] {
  const format = ({ pod, class: kind, time }: JobFailure) => `${pod} ${kind} ${time}`;
  return [...failures, ...(firstFailure === undefined ? [] : [firstFailure])].map(format);
}

describe('the recorded failures', () => {
  it.each<[string, readonly PlainWorld[], readonly string[]]>([
    ['empty for a running job', [{ pods: [{}, { index: 1 }] }], []],
    [
      'the cause rather than its consequences',
      [{ pods: [failed(0, -5, { message: RESET }), failed(1, -4, { exit: 139 }), failed(2, -5, { exit: 143 })] }],
      [`job-worker-1 Program ${at(-4)}`],
    ],
    [
      'the cause, also if it is reported later',
      [{ pods: [failed(0, -5, { message: RESET }), { index: 1 }] }, { pods: [failed(1, -4, { exit: 139 })], now: 2 }],
      [`job-worker-1 Program ${at(-4)}`],
    ],
    [
      'the pod that got SIGTERM rather than the peer that lost it',
      [{ pods: [failed(0, -5, { exit: 143 }), failed(1, -3, { message: 'failed to recv, got 0 bytes' })] }],
      [`job-worker-0 Program ${at(-5)}`],
    ],
    [
      'a deleted pod rather than the peers that lost it',
      [{ pods: [failed(0, -5, { message: RESET }), { index: 1, deleted: -8 }, failed(2, -5, { message: RESET })] }],
      [`job-worker-1 Deleted ${at(-8)}`],
    ],
    [
      "a deleted pod, also if a peer's failure is observed first",
      [
        { pods: [failed(0, -5, { message: RESET }), { index: 1 }] },
        { pods: [failed(0, -5, { message: RESET }), { index: 1, deleted: -6 }], now: 1 },
      ],
      [`job-worker-1 Deleted ${at(-6)}`],
    ],
    [
      'a deleted and removed pod rather than the peers that lost it',
      [{ pods: [failed(0, -5, { message: RESET })], deletedPods: [{ index: 1, deleted: -8 }] }],
      [`job-worker-1 Deleted ${at(-8)}`],
    ],
    [
      'a deleted pod whose deletionTimestamp the kubelet moved behind its end and that of its peers',
      [
        {
          pods: [failed(0, -5, { message: RESET })],
          deletedPods: [failed(1, -6, { exit: 137, deleted: -4, grace: 0 })],
        },
      ],
      [`job-worker-1 Deleted ${at(-6)}`],
    ],
    [
      'a deleted pod that was recreated',
      [
        {
          pods: [failed(0, -5, { message: RESET }), { index: 1, uid: 'next' }],
          deletedPods: [{ index: 1, deleted: -8 }],
        },
      ],
      [`job-worker-1 Deleted ${at(-8)}`],
    ],
    [
      'the peer, if the removed pod was deleted by a suspension',
      [
        {
          status: { startTime: at(-10) },
          pods: [failed(0, -5, { message: RESET })],
          deletedPods: [{ index: 1, deleted: -8, created: -60 }],
        },
      ],
      [`job-worker-0 Cascade ${at(-5)}`],
    ],
    [
      'the peer, if the removed pod was deleted by a scale-down',
      [{ workers: 2, pods: [failed(0, -5, { message: RESET })], deletedPods: [{ index: 2, deleted: -8 }] }],
      [`job-worker-0 Cascade ${at(-5)}`],
    ],
    [
      'the peer, if the removed pod was replaced by a recorded restart',
      [
        {
          status: { restarts: [{ role: 'Worker', indexes: '1', marks: markOf('uid-job-worker-1'), replaced: true }] },
          pods: [failed(0, -5, { message: RESET })],
          deletedPods: [{ index: 1, deleted: -8 }],
        },
      ],
      [`job-worker-0 Cascade ${at(-5)}`],
    ],
    [
      'the peer, if the removed pod belongs to an earlier attempt',
      [
        {
          status: { attempt: 1 },
          pods: [failed(0, -5, { message: RESET, attempt: 1 })],
          deletedPods: [{ index: 1, deleted: -8 }],
        },
      ],
      [`job-worker-0 Cascade ${at(-5)}`],
    ],
    [
      'a deleted pod that failed because of the deletion',
      [{ pods: [failed(0, -5, { message: RESET }), failed(1, -7, { exit: 143, deleted: -8 })] }],
      [`job-worker-1 Deleted ${at(-8)}`],
    ],
    [
      'the peer, if the pod was deleted long before',
      [{ pods: [failed(0, -5, { message: RESET }), { index: 1, deleted: -70 }] }],
      [`job-worker-0 Cascade ${at(-5)}`],
    ],
    [
      'the peer, if the pod was deleted after its end',
      [{ pods: [failed(0, -5, { message: RESET }), { index: 1, deleted: -3 }] }],
      [`job-worker-0 Cascade ${at(-5)}`],
    ],
    [
      'a pod that failed by itself although another pod was deleted',
      [{ pods: [failed(0, -5), { index: 1, deleted: -8 }] }],
      [`job-worker-0 Program ${at(-5)}`],
    ],
    [
      'a pod that failed by itself before another pod was deleted',
      [{ pods: [failed(0, -9), { index: 1, deleted: -8 }, failed(2, -5, { message: RESET })] }],
      [`job-worker-0 Program ${at(-9)}`],
    ],
    [
      'the peer, if the pod was replaced because it did not restart in place',
      [
        {
          pods: [failed(0, -5, { message: RESET }), { index: 1, deleted: -8, restarter: '1/0/1893498000' }],
        },
      ],
      [`job-worker-0 Cascade ${at(-5)}`],
    ],
    [
      'the peer, if the pod was replaced by a recorded restart',
      [
        {
          status: { restarts: [{ role: 'Worker', indexes: '1', marks: markOf('uid-job-worker-1'), replaced: true }] },
          pods: [failed(0, -5, { message: RESET }), { index: 1, deleted: -8 }],
        },
      ],
      [`job-worker-0 Cascade ${at(-5)}`],
    ],
    [
      'a deleted pod although an earlier pod of its replica was replaced by a recorded restart',
      [
        {
          status: { restarts: [{ role: 'Worker', indexes: '1', marks: markOf('earlier'), replaced: true }] },
          pods: [failed(0, -5, { message: RESET }), { index: 1, deleted: -8 }],
        },
      ],
      [`job-worker-1 Deleted ${at(-8)}`],
    ],
    [
      'the peer, if a pod of the same replica was deleted in the second of its end',
      [
        {
          roles: [{ name: 'Worker', replicas: 4, podsPerReplica: 2 }],
          pods: [failed(0, -5, { message: RESET }), { index: 1, deleted: -5 }, { index: 2 }, { index: 3 }],
        },
      ],
      [`job-worker-0 Cascade ${at(-5)}`],
    ],
    [
      'a peer whose connection was refused although a pod was deleted before',
      [{ pods: [failed(0, -5, { message: 'RuntimeError: connection refused' }), { index: 1, deleted: -8 }] }],
      [`job-worker-0 Program ${at(-5)}`],
    ],
    ['empty for a deleted pod without other failures', [{ pods: [{}, { index: 1, deleted: -8 }] }], []],
    [
      'a disruption for a pod that the cluster ended',
      [{ pods: [failed(0, -5, { message: RESET }), { index: 1, deleted: -8, disrupted: true }] }],
      [`job-worker-1 Preempted ${at(-60)}`],
    ],
    [
      'no cascade for a job with one pod',
      [{ workers: 1, pods: [failed(0, -5, { message: RESET })] }],
      [`job-worker-0 Program ${at(-5)}`],
    ],
    [
      'the first failure after its pod is gone',
      [{ pods: [failed(0, -5)] }, { pods: [{ index: 1 }], now: 30 }],
      [`job-worker-0 Program ${at(-5)}`],
    ],
    [
      'earlier failures when a later one follows',
      [{ pods: [failed(0, -5)] }, { pods: [failed(1, 300, { exit: 137, containerReason: 'OOMKilled' })], now: 301 }],
      [`job-worker-0 Program ${at(-5)}`, `job-worker-1 OutOfMemory ${at(300)}`],
    ],
    [
      'each failure of the same pod',
      [{ pods: [failed(0, -5)] }, { pods: [failed(0, 10, { uid: 'another' })], now: 11 }],
      [`job-worker-0 Program ${at(-5)}`, `job-worker-0 Program ${at(10)}`],
    ],
    [
      'no failure that is older than the recorded ones',
      [
        { pods: [failed(0, 300)], now: 301 },
        { pods: [failed(1, -5)], now: 302 },
      ],
      [`job-worker-0 Program ${at(300)}`],
    ],
    [
      'a pod whose image cannot be pulled rather than failures of its peers',
      [{ pods: [{}, NO_IMAGE] }, { pods: [failed(0, 5), NO_IMAGE], now: 6 }],
      [`job-worker-1 Image ${at(-60)}`],
    ],
    ['empty after the pod has started', [{ pods: [{}, NO_IMAGE] }, { pods: [{}, { index: 1 }], now: 6 }], []],
    ...WAITING.map(([why, pod]): [string, readonly PlainWorld[], readonly string[]] => [
      `empty for a job with a pod that only waits: ${why}`,
      [{ pods: [{}, { index: 1, phase: 'Pending', ...pod }] }],
      [],
    ]),
    [
      'a failure of another pod while one waits for a node',
      [{ pods: [failed(0, -5), { index: 1, phase: 'Pending', unplaced: 'no room' }] }],
      [`job-worker-0 Program ${at(-5)}`],
    ],
  ])('has %s', (_what, worlds, expected) => {
    const status = after(...worlds);
    expect(kept(status)).toEqual(expected);
    const last = worlds.at(-1);
    if (last !== undefined) expect(kept(after({ ...last, status }))).toEqual(expected);
  });

  it('has the last five failures before the current one', () => {
    const worlds = Array.from({ length: 8 }, (_each, run) => ({
      pods: [failed(0, run * 100, { uid: `run-${run}` })],
      now: run * 100 + 1,
    }));
    expect(kept(after(...worlds))).toEqual([2, 3, 4, 5, 6, 7].map((run) => `job-worker-0 Program ${at(run * 100)}`));
  });

  it('replaces the cause and the message of a failed job when the cause is reported later', () => {
    const never = (...pods: PlainPod[]) => ({ pods, workers: 2 });
    const ended = after(never(failed(0, -5, { exit: 1, message: RESET }), { index: 1 }));
    expect(ended).toMatchObject({ state: 'Failed', firstFailure: { class: 'Cascade' } });
    const corrected = after({
      ...never(failed(0, -5, { exit: 1, message: RESET }), failed(1, -4, { exit: 139, message: 'here' })),
      status: ended,
      now: 1,
    });
    expect(corrected).toMatchObject({ state: 'Failed', firstFailure: { class: 'Program', pod: 'job-worker-1' } });
    expect(corrected.completionTime).toBe(ended.completionTime);
    const { message } = corrected.conditions?.find(({ type }) => type === 'Failed') ?? {};
    expect(message).toBe('failed. First: pod job-worker-1, container main: exit code 139: here');
  });

  it("names a deleted pod in the condition rather than its peer's error", () => {
    const pods = [failed(0, -5, { exit: 1, message: RESET }), { index: 1, deleted: -8 }];
    const { conditions, firstFailure } = after({ workers: 2, pods });
    expect(firstFailure?.message).toBe('pod job-worker-1 was deleted by a user or another controller');
    const { message } = conditions?.find(({ type }) => type === 'Failed') ?? {};
    expect(message).toBe('failed. First: pod job-worker-1 was deleted by a user or another controller');
  });

  it("has the job's attempt for a removed pod", () => {
    const { firstFailure } = after({
      roles: [{ name: 'Worker', replicas: 2, cannotRejoin: 'Run it again' }],
      status: { attempt: 2, replicaStatuses: { Worker: { startedIndexes: '0-1', attempt: 1 } } },
      pods: [failed(0, -5, { exit: 1, message: RESET, attempt: 3 })],
    });
    expect(firstFailure).toMatchObject({ class: 'Deleted', pod: 'job-worker-1', attempt: 3 });
  });

  it('does not take the clean-up of a failed job for the cause', () => {
    const pods = [failed(0, -5, { exit: 1, message: RESET }), { index: 1 }];
    const status = after({ workers: 2, pods });
    const cleaned = [failed(0, -5, { exit: 1, message: RESET }), { index: 1, deleted: -5 }];
    expect(kept(after({ workers: 2, pods: cleaned, status }))).toEqual([`job-worker-0 Cascade ${at(-5)}`]);
  });

  it('counts each incident once, by its class', () => {
    const reset = { pods: [failed(0, -5, { message: RESET }), { index: 1 }] };
    const { status = {}, failures } = planOf({ ...JOB, ...reset });
    expect(failures).toEqual(['Cascade']);
    const cause = { pods: [failed(1, -4, { exit: 139 })], status, now: 2 };
    expect(planOf({ ...JOB, ...cause }).failures).toEqual([]);
    const later = { pods: [failed(1, 400, { uid: 'new' })], status, now: 401 };
    expect(planOf({ ...JOB, ...later }).failures).toEqual(['Program']);
    const waiting = { pods: [NO_IMAGE] };
    expect(planOf({ ...JOB, ...waiting }).failures).toEqual([]);
  });
});
