import { describe, expect, it } from 'vitest';
import { plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { endOf, hasEverRun, type PodEnd } from './pod-end.ts';

describe('endOf', () => {
  it.each<[string, PlainPod, PodEnd]>([
    ['disrupted by its condition', { disrupted: true, exit: 143 }, 'ClusterEnded'],
    ['evicted for want of memory', { reason: 'Evicted', disrupted: true, exit: 137 }, 'ClusterEnded'],
    ['evicted for its own use of disk', { reason: 'Evicted', exit: 137 }, 'ProgramFailed'],
    ['evicted for what its init containers wrote', { reason: 'Evicted', initRestarts: 1 }, 'ProgramFailed'],
    ['refused by a node under pressure', { reason: 'Evicted' }, 'NodeRefused'],
    ['preempted on its node', { reason: 'Preempting', exit: 143 }, 'ClusterEnded'],
    ['on a lost node', { reason: 'NodeLost', exit: 137 }, 'ClusterEnded'],
    ['on a node that shuts down', { reason: 'Terminated', exit: 143 }, 'ClusterEnded'],
    ['refused by a node that shuts down', { reason: 'NodeShutdown' }, 'NodeRefused'],
    ['refused for want of cores', { reason: 'OutOfcpu' }, 'NodeRefused'],
    ['refused for want of devices', { reason: 'OutOfnvidia.com/gpu' }, 'NodeRefused'],
    ['refused for its devices', { reason: 'UnexpectedAdmissionError' }, 'NodeRefused'],
    ['refused when its kubelet came back', { reason: 'NodeAffinity', exit: 137 }, 'NodeRefused'],
    ['refused for its topology', { reason: 'TopologyAffinityError' }, 'NodeRefused'],
    ['over its own deadline', { reason: 'DeadlineExceeded' }, 'ProgramFailed'],
    ['ended for a reason that nobody knows', { reason: 'Whatever', exit: 1 }, 'ProgramFailed'],
    ['not started for a reason that nobody knows', { reason: 'Whatever' }, 'NodeRefused'],
    ['failed by itself', { exit: 1 }, 'ProgramFailed'],
    ['failed, nobody knows how', {}, 'ProgramFailed'],
  ])('of a pod %s', (_case, pod, end) => {
    expect(endOf(plainPod({ phase: 'Failed', ...pod }))).toBe(end);
  });

  it('does not heed a condition that does not hold', () => {
    const conditions = [{ type: 'DisruptionTarget', status: 'False' }];
    expect(endOf({ status: { phase: 'Failed', conditions } })).toBe('ProgramFailed');
  });
});

describe('hasEverRun', () => {
  it.each<[string, PlainPod, boolean]>([
    ['that waits', { phase: 'Pending' }, false],
    ['that runs', { phase: 'Running' }, true],
    ['whose init container has been started again', { phase: 'Pending', initRestarts: 1 }, true],
    ['that failed by itself', { phase: 'Failed', exit: 1 }, true],
    ['that failed without having been started', { phase: 'Failed' }, false],
  ])('of a pod %s: %j', (_case, pod, expected) => {
    expect(hasEverRun(plainPod(pod))).toBe(expected);
  });
});
