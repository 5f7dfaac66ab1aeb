import { describe, expect, it } from 'vitest';
import { plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { statusAfter } from '../../test-support/plain-world.ts';
import { failureCause } from './failure-cause.ts';

describe('failureCause', () => {
  it.each<[string, PlainPod, string]>([
    ['the exit code of the container that failed', { phase: 'Failed', exit: 3 }, 'container main: exit code 3'],
    [
      'the exit code before the kubelet restarted the container',
      { restarts: 2, exitBefore: 7 },
      'container main: exit code 7',
    ],
    ['the last of several exit codes', { exit: 3, restarts: 2, exitBefore: 7 }, 'container main: exit code 3'],
    [
      "an evicted pod's reason instead of earlier container failures",
      { phase: 'Failed', reason: 'Evicted', restarts: 1, exitBefore: 7 },
      'Evicted',
    ],
    [
      "an evicted pod's reason instead of the output of killed containers",
      { phase: 'Failed', reason: 'Evicted', exit: 137 },
      'Evicted',
    ],
    ['only that it failed if nothing else is known', { phase: 'Failed' }, 'failed'],
  ])('names %s', (_what, pod, expected) => {
    const cause = failureCause(plainPod(pod), 'main');
    expect(cause.slice(cause.search(/[,:]/) + 2)).toBe(expected);
  });

  it.each<[string, PlainPod, string]>([
    ['a disruption', { phase: 'Failed', exit: 143, disrupted: true }, 'ended by the cluster: PreemptionByScheduler'],
    ['an eviction', { phase: 'Failed', reason: 'Evicted', disrupted: true }, 'ended by the cluster: Evicted'],
    ['a refusal', { phase: 'Failed', reason: 'OutOfcpu' }, 'refused by its node: OutOfcpu'],
  ])('names the origin of %s', (_what, pod, expected) => {
    expect(failureCause(plainPod(pod), 'main')).toBe(`pod job-worker-0 was ${expected}`);
  });

  it('follows the message that container restarts reached the limit', () => {
    const roles = [{ name: 'Worker', replicas: 2, restartPolicy: 'OnFailure' as const }];
    const pods: PlainPod[] = [{ index: 0 }, { index: 1, restarts: 3, exitBefore: 9 }];
    const status = statusAfter({ roles, pods, runPolicy: { backoffLimit: 2 } });
    const { message } = status.conditions?.find(({ type }) => type === 'Failed') ?? {};
    expect(message).toMatch(/backoff limit\. First: pod job-worker-1, container main: exit code 9$/);
  });
});
