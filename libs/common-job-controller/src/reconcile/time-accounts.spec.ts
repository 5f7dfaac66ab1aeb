import type { JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { at, type PlainPod } from '../../test-support/plain-pod.ts';
import { statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';

const WORKERS = { workers: 2 } as const;

function secondsOf({ timeAccounts }: JobStatus): Record<string, number | undefined> {
  return Object.fromEntries(Object.entries(timeAccounts?.accounts ?? {}).map(([name, { seconds }]) => [name, seconds]));
}

const both = (pod: (index: number) => PlainPod): PlainPod[] =>
  [0, 1].map((index) => ({ index, created: 2, ...pod(index) }));
const unplaced = both(() => ({ phase: 'Pending', unplaced: 'no node has room' }));
const starting = both(() => ({ phase: 'Pending', node: 'n', accepted: 20 }));
const running = both((index) => ({ node: 'n', accepted: 20, started: 30 + index }));
const BEGIN: PlainWorld = { ...WORKERS, now: 2 };
/** Written four seconds after the last container started. */
const RUNNING: PlainWorld = { ...WORKERS, now: 35, pods: running };
const failed: PlainPod = {
  index: 1,
  created: 2,
  node: 'n',
  accepted: 20,
  started: 31,
  phase: 'Failed',
  exit: 137,
  ended: 131,
};
const again: PlainPod = { index: 1, uid: 'second', created: 134, node: 'n', accepted: 140, started: 150 };

describe('time accounts', () => {
  it('have each second from the creation on, by the times of the pods, however late the status is written', () => {
    const status = statusAfter(
      BEGIN,
      { ...WORKERS, now: 15, pods: unplaced },
      { ...WORKERS, now: 25, pods: starting },
      RUNNING,
    );
    expect(secondsOf(status)).toEqual({ Unscheduled: 20, Starting: 11, Running: 4 });
    expect(status.timeAccounts).toMatchObject({ account: 'Running', until: at(35), goodput: '11%' });
    expect(secondsOf(statusAfter(BEGIN, { ...RUNNING, now: 600 }))).toEqual({
      Unscheduled: 20,
      Starting: 11,
      Running: 569,
    });
  });

  it('charge the time from a failure until all run again to its class, and begin an attempt', () => {
    const status = statusAfter(
      BEGIN,
      RUNNING,
      { ...WORKERS, now: 133, pods: [running[0]!, failed] },
      { ...WORKERS, now: 134, pods: [running[0]!] },
      { ...WORKERS, now: 160, pods: [running[0]!, again] },
    );
    expect(secondsOf(status)).toEqual({ Unscheduled: 20, Starting: 11, Running: 110, Restarting: 19 });
    expect(status.timeAccounts).toMatchObject({
      losses: { Program: { seconds: 19 } },
      attempts: [
        { startTime: at(0), seconds: { Unscheduled: 20, Starting: 11, Running: 100 } },
        { startTime: at(131), failure: 'Program', seconds: { Restarting: 19, Running: 10 } },
      ],
    });
  });

  it('find a failure and a restart of a time without an operator', () => {
    const restarted: PlainPod = { ...running[1]!, restarts: 1, exitBefore: 1, endedBefore: 100, started: 112 };
    const status = statusAfter(BEGIN, RUNNING, { ...WORKERS, now: 200, pods: [running[0]!, restarted] });
    expect(secondsOf(status)).toEqual({ Unscheduled: 20, Starting: 11, Running: 69 + 88, Restarting: 12 });
  });

  it.each([
    ['has ended', { exit: 1, ended: 100 }],
    ['waits to be restarted', { waits: 'CrashLoopBackOff', restarts: 1, exitBefore: 1, endedBefore: 100 }],
  ])('count a restart in place also if a status was written while the container %s', (_what, end) => {
    const [first, second] = both((index) => ({ ...running[index], restartPolicy: 'OnFailure' }));
    const down: PlainPod = { ...second!, ...end, ready: false };
    const restarted: PlainPod = { ...second!, restarts: 2, exitBefore: 1, endedBefore: 100, started: 140 };
    for (const seenAt of [100, 120]) {
      const status = statusAfter(
        BEGIN,
        { ...WORKERS, now: 35, pods: [first!, second!] },
        { ...WORKERS, now: seenAt, pods: [first!, down] },
        { ...WORKERS, now: 200, pods: [first!, restarted] },
      );
      expect(secondsOf(status)).toEqual({ Unscheduled: 20, Starting: 11, Running: 69 + 60, Restarting: 40 });
      expect(status.timeAccounts?.attempts).toHaveLength(2);
    }
  });

  it('call a job degraded while it starts replicas that were added, which is no failure', () => {
    const added: PlainPod = { index: 2, uid: 'third', created: 101, node: 'n', accepted: 110 };
    const status = statusAfter(
      BEGIN,
      RUNNING,
      { workers: 3, now: 100, pods: running },
      { workers: 3, now: 112, pods: [...running, { ...added, phase: 'Pending' }] },
      { workers: 3, now: 150, pods: [...running, { ...added, started: 120 }] },
    );
    expect(secondsOf(status)).toEqual({ Unscheduled: 20, Starting: 11, Running: 99, Degraded: 20 });
    expect(status.timeAccounts).not.toHaveProperty('losses');
    expect(status.timeAccounts?.attempts).toHaveLength(1);
  });

  it('end with the job', () => {
    const done = both((index) => ({ ...running[index], phase: 'Succeeded', exit: 0, ended: 90 + 30 * index }));
    const status = statusAfter(
      BEGIN,
      RUNNING,
      { ...WORKERS, now: 122, pods: done },
      { ...WORKERS, now: 500, pods: done },
    );
    expect(secondsOf(status)).toEqual({ Unscheduled: 20, Starting: 11, Running: 59, Finishing: 32 });
    expect(status.timeAccounts).not.toHaveProperty('account');
    expect(status.timeAccounts?.until).toBe(status.completionTime);
  });

  it('do not count a suspension as lost', () => {
    const suspend = { runPolicy: { suspend: true } };
    const status = statusAfter(
      { ...WORKERS, ...suspend, now: 1 },
      { ...WORKERS, now: 100 },
      { ...WORKERS, now: 150, pods: running.map((pod) => ({ ...pod, created: 101, accepted: 103, started: 110 })) },
    );
    expect(secondsOf(status)).toEqual({ Suspended: 100, Unscheduled: 3, Starting: 7, Running: 40 });
    expect(status.timeAccounts?.goodput).toBe('80%');
  });

  it('count pods with a node, and the extended resources that they request', () => {
    const resources = { limits: { cpu: '8', 'nvidia.com/gpu': '4' } };
    const status = statusAfter({ ...BEGIN, resources }, { ...RUNNING, resources, now: 41 });
    expect(status.timeAccounts?.accounts).toMatchObject({
      Unscheduled: { podSeconds: 0 },
      Starting: { podSeconds: 22, resourceSeconds: { 'nvidia.com/gpu': 88 } },
      Running: { podSeconds: 20, resourceSeconds: { 'nvidia.com/gpu': 80 } },
    });
  });

  it('do not change without another change of the status', () => {
    const status = statusAfter(BEGIN, RUNNING);
    expect(statusAfter({ ...RUNNING, status, now: 4000 })).toBe(status);
  });

  it('keep ten attempts', () => {
    const worlds = Array.from({ length: 14 }, (_, index): PlainWorld[] => {
      const from = 200 + 100 * index;
      const crashed: PlainPod = { ...running[1]!, uid: `uid-${index}`, phase: 'Failed', exit: 137, ended: from };
      const next: PlainPod = {
        ...running[1]!,
        uid: `uid-${index + 1}`,
        created: from + 2,
        accepted: from + 3,
        started: from + 4,
      };
      return [
        { ...WORKERS, now: from + 1, pods: [running[0]!, crashed] },
        { ...WORKERS, now: from + 50, pods: [running[0]!, next] },
      ];
    });
    const status = statusAfter(BEGIN, RUNNING, ...worlds.flat());
    expect(status.timeAccounts?.attempts).toHaveLength(10);
    expect(status.timeAccounts?.attempts[0]?.startTime).toBe(at(200 + 100 * 4));
    expect(Object.values(secondsOf(status)).reduce((sum, seconds = 0) => sum! + seconds, 0)).toBe(200 + 1300 + 50);
  });
});
