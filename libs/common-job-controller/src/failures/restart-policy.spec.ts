import type { RestartPolicy } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { isRestarted, podRestartPolicy } from './restart-policy.ts';

const restarts = (restartPolicy: RestartPolicy, pod: PlainPod) =>
  isRestarted({ restartPolicy, containerName: 'main' }, plainPod({ phase: 'Failed', ...pod }));

describe('isRestarted', () => {
  it.each([
    ['Always', 1, true],
    ['OnFailure', 1, true],
    ['OnFailure', undefined, true],
    ['Never', 137, false],
    ['Never', undefined, false],
    ['ExitCode', 1, false],
    ['ExitCode', 127, false],
    ['ExitCode', 128, true],
    ['ExitCode', 137, true],
    ['ExitCode', 255, true],
    ['ExitCode', undefined, true],
  ] as const)('%s with exit code %s: %s', (policy, exitCode, restarted) => {
    expect(restarts(policy, exitCode === undefined ? {} : { exit: exitCode })).toBe(restarted);
  });

  it.each<[string, PlainPod]>([
    ['ClusterEnded', { disrupted: true, exit: 1 }],
    ['NodeRefused', { reason: 'OutOfcpu', exit: 1 }],
  ])('recreates with every policy after %s', (_end, pod) => {
    for (const policy of ['Always', 'OnFailure', 'Never', 'ExitCode'] as const) {
      expect(restarts(policy, pod)).toBe(true);
    }
  });
});

describe('podRestartPolicy', () => {
  it('prevents restarts by the kubelet with ExitCode', () => {
    expect(['Always', 'OnFailure', 'Never', 'ExitCode'].map((policy) => podRestartPolicy(policy as 'Always'))).toEqual([
      'Always',
      'OnFailure',
      'Never',
      'Never',
    ]);
  });
});
