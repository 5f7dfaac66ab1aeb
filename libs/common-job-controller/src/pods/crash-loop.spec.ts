import { describe, expect, it } from 'vitest';
import { NOW, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { crashLoopMessage, crashLoopOf, loopStates } from './crash-loop.ts';

const JOB = { kind: 'Job', status: { failed: 3 } };
const FAILED: PlainPod = { phase: 'Failed', exit: 1, ended: -5, message: 'no data' };

const OF_JOB: PlainPod = { owner: { uid: 'uid-of-job', kind: 'Job' } };
const RUNS: PlainPod = { restarts: 4, exitBefore: 1, started: -5 };

const reported = (pod: PlainPod, workload?: object, observedMs = 0) => {
  const whole = plainPod({ restartPolicy: 'OnFailure', ...pod });
  const stateAges = new Map(loopStates(whole).map((state) => [state, observedMs]));
  const loop = crashLoopOf(whole, { nowMs: NOW, stateAges }, workload);
  return loop && crashLoopMessage(loop, {}, { isOfJob: workload !== undefined });
};

describe('crashLoopOf', () => {
  it("reports a launcher whose Job replaces failed pods, with the Job's number of failures", () => {
    expect(reported(FAILED, JOB)).toBe(
      'Pod job-worker-0, container main keeps failing: failed 3 times; last exit code 1: no data; backoffLimit is unset: the limit of its Job applies',
    );
  });

  it('names no backoffLimit for a kind that has none', () => {
    const loop = crashLoopOf(plainPod({ waits: 'CrashLoopBackOff', restarts: 2, exitBefore: 1 }), { nowMs: NOW });
    expect(crashLoopMessage(loop!, {}, { hasBackoffLimit: false })).toBe(
      'Pod job-worker-0, container main keeps failing: 2 restarts; last exit code 1; restarts are unlimited',
    );
  });

  it('reports a launcher that the kubelet restarts in a pod of the Job', () => {
    expect(reported({ waits: 'CrashLoopBackOff', restarts: 2, exitBefore: 1 }, { kind: 'Job' })).toContain(
      '2 restarts',
    );
  });

  it('reports a launcher whose newest pod has run for less than a minute', () => {
    expect(reported({ ...OF_JOB, created: -10 }, JOB, 59_999)).toContain(
      'Pod job-worker-0 keeps failing: failed 3 times',
    );
    expect(reported({ ...OF_JOB, created: -10, phase: 'Pending' }, JOB)).toContain('failed 3 times');
    expect(reported({ ...OF_JOB, created: -10 }, JOB, 60_000)).toBeUndefined();
  });

  it.each([-300, 0, 300])(
    "measures the minute by the operator's clock, with the node's clock %d s ahead",
    (aheadSeconds) => {
      const pod = { ...RUNS, started: aheadSeconds - 5 };
      expect(reported(pod, undefined, 59_999)).toContain('4 restarts');
      expect(reported(pod, undefined, 60_000)).toBeUndefined();
    },
  );

  it('restarts the minute after each restart of the container', () => {
    const statesOf = (restarts: number) => loopStates(plainPod({ ...RUNS, restarts }));
    expect(statesOf(2)).toEqual(['run 2 of main in uid-job-worker-0']);
    expect(statesOf(3)).toEqual(['run 3 of main in uid-job-worker-0']);
  });

  it('reports a container that succeeded and is restarted with restartPolicy Always', () => {
    expect(reported({ exit: 0, ended: 0, restarts: 2, exitBefore: 1, restartPolicy: 'Always' })).toContain(
      '2 restarts',
    );
  });

  it("parses a container's output only for the message", () => {
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

  it('reports a launcher after the second failure of its Job', () => {
    expect(reported(FAILED, { kind: 'Job', status: { failed: 2 } })).toContain('failed 2 times');
  });

  it('ignores an init container that succeeded after failures, with restartPolicy Always', () => {
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

  it('ignores a replica without a pod', () => {
    expect(crashLoopOf(undefined, { nowMs: NOW }, JOB)).toBeUndefined();
  });

  it.each<[string, PlainPod]>([
    ['is being deleted', { ...RUNS, deleted: -1 }],
    ['is restarted by its operator', { ...RUNS, restarter: true }],
    ['has not failed', { ...RUNS, restarts: 0 }],
    ['waits for its next start', { waits: 'CrashLoopBackOff', restarts: 4, exitBefore: 1 }],
  ])('returns no aging state if the pod %s', (_what, pod) => {
    expect(loopStates(plainPod(pod))).toEqual([]);
  });

  it('reports a container that has ended and does not wait yet', () => {
    expect(reported({ exit: 1, ended: 0, restarts: 2 })).toContain('2 restarts; last exit code 1');
  });

  it.each<[string, PlainPod, object?]>([
    ['has failed without a Job', FAILED],
    ['has failed without a Job after container restarts', { ...FAILED, restarts: 4 }],
    ['has succeeded after its Job replaced failed ones', { ...OF_JOB, phase: 'Succeeded', exit: 0, created: -10 }, JOB],
    ['is the first failed pod of its Job', FAILED, { kind: 'Job', status: { failed: 1 } }],
    ['has succeeded after failures', { exit: 0, ended: 0, restarts: 4, exitBefore: 1 }],
    ['is being deleted', { waits: 'CrashLoopBackOff', restarts: 4, deleted: -1 }],
    ['has succeeded', { phase: 'Succeeded', exit: 0, restarts: 4 }],
    ['creates its containers', { phase: 'Pending', waits: 'ContainerCreating' }],
    ['was restarted by its operator', { restarts: 4, exitBefore: 1, started: -5, restarter: true }],
    ['has run since before the operator started', { ...RUNS, started: -361 }],
    ['does not report the start of its container', { restarts: 4, exitBefore: 1 }],
  ])('is undefined for a pod that %s', (_what, pod, workload) => {
    expect(reported(pod, workload)).toBeUndefined();
  });
});
