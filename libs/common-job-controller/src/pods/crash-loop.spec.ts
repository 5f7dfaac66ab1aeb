import { describe, expect, it } from 'vitest';
import { NOW, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { crashLoopMessage, crashLoopOf, loopStates } from './crash-loop.ts';

const JOB = { kind: 'Job', status: { failed: 3 } };
const FAILED: PlainPod = { phase: 'Failed', exit: 1, ended: -5, words: 'no data' };

const OF_JOB: PlainPod = { owner: { uid: 'uid-of-job', kind: 'Job' } };
const RUNS: PlainPod = { restarts: 4, exitBefore: 1, started: -5 };

/** @param seenMs for how long the operator has seen the pod as it is */
const reported = (pod: PlainPod, workload?: object, seenMs = 0) => {
  const whole = plainPod({ restartPolicy: 'OnFailure', ...pod });
  const stateAges = new Map(loopStates(whole).map((state) => [state, seenMs]));
  const loop = crashLoopOf(whole, { nowMs: NOW, stateAges }, workload);
  return loop && crashLoopMessage(loop, {}, { isOfJob: workload !== undefined });
};

describe('crashLoopOf', () => {
  it('reports a launcher whose Job replaces its pods, with the failures of the Job', () => {
    expect(reported(FAILED, JOB)).toBe(
      'Pod job-worker-0, container main keeps failing: failed 3 times; last exit code 1: no data; backoffLimit is unset: the limit of its Job counts',
    );
  });

  it('names no backoffLimit for a kind that has none', () => {
    const loop = crashLoopOf(plainPod({ waits: 'CrashLoopBackOff', restarts: 2, exitBefore: 1 }), { nowMs: NOW });
    expect(crashLoopMessage(loop!, {}, { hasBackoffLimit: false })).toBe(
      'Pod job-worker-0, container main keeps failing: 2 restarts; last exit code 1; it is restarted without end',
    );
  });

  it('reports a launcher that its kubelet starts again within a pod of the Job', () => {
    expect(reported({ waits: 'CrashLoopBackOff', restarts: 2, exitBefore: 1 }, { kind: 'Job' })).toContain(
      '2 restarts',
    );
  });

  it('reports a launcher of which the newest pod has run for less than a minute', () => {
    expect(reported({ ...OF_JOB, created: -10 }, JOB, 59_999)).toContain(
      'Pod job-worker-0 keeps failing: failed 3 times',
    );
    expect(reported({ ...OF_JOB, created: -10, phase: 'Pending' }, JOB)).toContain('failed 3 times');
    expect(reported({ ...OF_JOB, created: -10 }, JOB, 60_000)).toBeUndefined();
  });

  it.each([-300, 0, 300])('counts the minute by the clock of the operator, with another %d s ahead', (aheadSeconds) => {
    const pod = { ...RUNS, started: aheadSeconds - 5 };
    expect(reported(pod, undefined, 59_999)).toContain('4 restarts');
    expect(reported(pod, undefined, 60_000)).toBeUndefined();
  });

  it('counts the minute anew after each restart of the container', () => {
    const statesOf = (restarts: number) => loopStates(plainPod({ ...RUNS, restarts }));
    expect(statesOf(2)).toEqual(['run 2 of main in uid-job-worker-0']);
    expect(statesOf(3)).toEqual(['run 3 of main in uid-job-worker-0']);
  });

  it('reports a container that has ended well and is restarted under Always', () => {
    expect(reported({ exit: 0, ended: 0, restarts: 2, exitBefore: 1, restartPolicy: 'Always' })).toContain(
      '2 restarts',
    );
  });

  it('reads the output of a container only for the message', () => {
    const pod = plainPod({ waits: 'CrashLoopBackOff', restarts: 4 });
    const [status] = pod.status?.containerStatuses ?? [];
    const terminated = {
      exitCode: 1,
      get message(): string {
        throw new Error('read');
      },
    };
    const containerStatuses = [{ ...status!, lastState: { terminated } }];
    const loop = crashLoopOf({ ...pod, status: { ...pod.status, containerStatuses } }, { nowMs: NOW });
    expect(() => crashLoopMessage(loop!, {})).toThrow('read');
  });

  it('reports a launcher from the second failure of its Job', () => {
    expect(reported(FAILED, { kind: 'Job', status: { failed: 2 } })).toContain('failed 2 times');
  });

  it('reports no init container that has ended well after failures, under Always', () => {
    const pod = plainPod({ phase: 'Pending', restartPolicy: 'Always' });
    const [init] = pod.status?.initContainerStatuses ?? [];
    const ended = (exitCode: number) => ({
      ...init!,
      restartCount: 2,
      state: { terminated: { exitCode } },
      lastState: { terminated: { exitCode: 1 } },
    });
    const loopAfter = (exitCode: number) =>
      crashLoopOf({ ...pod, status: { ...pod.status, initContainerStatuses: [ended(exitCode)] } }, { nowMs: NOW });
    expect(loopAfter(0)).toBeUndefined();
    expect(loopAfter(1)).toMatchObject({ container: { name: 'prepare' }, restarts: 2 });
  });

  it('reports nothing of a replica without a pod', () => {
    expect(crashLoopOf(undefined, { nowMs: NOW }, JOB)).toBeUndefined();
  });

  it.each<[string, PlainPod]>([
    ['is being deleted', { ...RUNS, deleted: -1 }],
    ['is restarted by its operator', { ...RUNS, restarter: true }],
    ['has not failed', { ...RUNS, restarts: 0 }],
    ['waits for its next start', { waits: 'CrashLoopBackOff', restarts: 4, exitBefore: 1 }],
  ])('measures no time of a container whose pod %s', (_what, pod) => {
    expect(loopStates(plainPod(pod))).toEqual([]);
  });

  it('reports a container between its end and the pause', () => {
    expect(reported({ exit: 1, ended: 0, restarts: 2 })).toContain('2 restarts; last exit code 1');
  });

  it.each<[string, PlainPod, object?]>([
    ['has failed without a Job', FAILED],
    ['has failed without a Job after restarts of its container', { ...FAILED, restarts: 4 }],
    ['has succeeded after its Job replaced failed ones', { ...OF_JOB, phase: 'Succeeded', exit: 0, created: -10 }, JOB],
    ['is the first to fail of its Job', FAILED, { kind: 'Job', status: { failed: 1 } }],
    ['has ended well after failures', { exit: 0, ended: 0, restarts: 4, exitBefore: 1 }],
    ['is being deleted', { waits: 'CrashLoopBackOff', restarts: 4, deleted: -1 }],
    ['has succeeded', { phase: 'Succeeded', exit: 0, restarts: 4 }],
    ['starts its containers', { phase: 'Pending', waits: 'ContainerCreating' }],
    ['was restarted by its operator', { restarts: 4, exitBefore: 1, started: -5, restarter: true }],
    ['runs since before the operator started', { ...RUNS, started: -361 }],
    ['does not report when its container was started', { restarts: 4, exitBefore: 1 }],
  ])('is undefined of a pod that %s', (_what, pod, workload) => {
    expect(reported(pod, workload)).toBeUndefined();
  });
});
