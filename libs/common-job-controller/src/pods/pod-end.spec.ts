import { describe, expect, it } from 'vitest';
import { plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { endOf, hasEverRun, type PodEnd } from './pod-end.ts';

describe('endOf', () => {
  it.each<[string, PlainPod, PodEnd]>([
    ['disrupted by its condition', { disrupted: true, exit: 143 }, 'ClusterEnded'],
    ['evicted because the node ran out of memory', { reason: 'Evicted', disrupted: true, exit: 137 }, 'ClusterEnded'],
    ['evicted because of its own disk usage', { reason: 'Evicted', exit: 137 }, 'ProgramFailed'],
    ["evicted because of its init containers' disk usage", { reason: 'Evicted', initRestarts: 1 }, 'ProgramFailed'],
    ['refused by a node under pressure', { reason: 'Evicted' }, 'NodeRefused'],
    ['preempted on its node', { reason: 'Preempting', exit: 143 }, 'ClusterEnded'],
    ['on a lost node', { reason: 'NodeLost', exit: 137 }, 'ClusterEnded'],
    ['on a node that shuts down', { reason: 'Terminated', exit: 143 }, 'ClusterEnded'],
    ['refused by a node that shuts down', { reason: 'NodeShutdown' }, 'NodeRefused'],
    ['refused because of missing cores', { reason: 'OutOfcpu' }, 'NodeRefused'],
    ['refused because of missing devices', { reason: 'OutOfnvidia.com/gpu' }, 'NodeRefused'],
    ['refused because of its devices', { reason: 'UnexpectedAdmissionError' }, 'NodeRefused'],
    ['refused when its kubelet restarted', { reason: 'NodeAffinity', exit: 137 }, 'NodeRefused'],
    ['refused because of its topology', { reason: 'TopologyAffinityError' }, 'NodeRefused'],
    ['over its activeDeadlineSeconds', { reason: 'DeadlineExceeded' }, 'ProgramFailed'],
    ['ended for an unknown reason', { reason: 'Whatever', exit: 1 }, 'ProgramFailed'],
    ['not started for an unknown reason', { reason: 'Whatever' }, 'NodeRefused'],
    ['failed by itself', { exit: 1 }, 'ProgramFailed'],
    ['failed without a reason or exit code', {}, 'ProgramFailed'],
  ])('classifies a pod %s', (_case, pod, end) => {
    expect(endOf(plainPod({ phase: 'Failed', ...pod }))).toBe(end);
  });

  it('ignores a condition with status False', () => {
    const conditions = [{ type: 'DisruptionTarget', status: 'False' }];
    expect(endOf({ status: { phase: 'Failed', conditions } })).toBe('ProgramFailed');
  });
});

describe('hasEverRun', () => {
  it.each<[string, PlainPod, boolean]>([
    ['that waits', { phase: 'Pending' }, false],
    ['that runs', { phase: 'Running' }, true],
    ['whose init container was restarted', { phase: 'Pending', initRestarts: 1 }, true],
    ['that failed by itself', { phase: 'Failed', exit: 1 }, true],
    ['that failed without having been started', { phase: 'Failed' }, false],
  ])('for a pod %s is %j', (_case, pod, expected) => {
    expect(hasEverRun(plainPod(pod))).toBe(expected);
  });
});
