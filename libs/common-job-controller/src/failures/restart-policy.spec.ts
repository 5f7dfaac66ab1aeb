import { describe, expect, it } from 'vitest';
import { isRestarted, podRestartPolicy } from './restart-policy.ts';

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
    expect(isRestarted(policy, { exitCode, end: 'ProgramFailed' })).toBe(restarted);
  });

  it.each(['ClusterEnded', 'NodeRefused'] as const)('recreates with every policy after %s', (end) => {
    for (const policy of ['Always', 'OnFailure', 'Never', 'ExitCode'] as const) {
      expect(isRestarted(policy, { exitCode: 1, end })).toBe(true);
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
