import { describe, expect, it } from 'vitest';
import { NOW, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { crashLoopMessage, crashLoopOf } from './crash-loop.ts';

const JOB = { kind: 'Job', status: { failed: 3 } };
const FAILED: PlainPod = { phase: 'Failed', exit: 1, ended: -5, words: 'no data' };

const reported = (pod: PlainPod, workload?: object) => {
  const loop = crashLoopOf(plainPod({ restartPolicy: 'OnFailure', ...pod }), NOW, workload);
  return loop && crashLoopMessage(loop, {}, workload !== undefined);
};

describe('crashLoopOf', () => {
  it('reports a launcher whose Job replaces its pods, with the failures of the Job', () => {
    expect(reported(FAILED, JOB)).toBe(
      'Pod job-worker-0, container main keeps failing: 3 restarts; last exit code 1: no data; backoffLimit is unset: the limit of its Job counts',
    );
  });

  it('reports a launcher that its kubelet starts again within a pod of the Job', () => {
    expect(reported({ waits: 'CrashLoopBackOff', restarts: 2, exitBefore: 1 }, { kind: 'Job' })).toContain(
      '2 restarts',
    );
  });

  it('reports a container between its end and the pause', () => {
    expect(reported({ exit: 1, ended: 0, restarts: 2 })).toContain('2 restarts; last exit code 1');
  });

  it.each<[string, PlainPod, object?]>([
    ['has failed without a Job', FAILED],
    ['is the first to fail of its Job', FAILED, { kind: 'Job', status: {} }],
    ['is being deleted', { waits: 'CrashLoopBackOff', restarts: 4, deleted: -1 }],
    ['has succeeded', { phase: 'Succeeded', exit: 0, restarts: 4 }],
    ['starts its containers', { phase: 'Pending', waits: 'ContainerCreating' }],
    ['was restarted by its operator', { restarts: 4, exitBefore: 1, started: -5, restarter: true }],
    ['does not report when its container was started', { restarts: 4, exitBefore: 1 }],
  ])('is undefined of a pod that %s', (_what, pod, workload) => {
    expect(reported(pod, workload)).toBeUndefined();
  });
});
