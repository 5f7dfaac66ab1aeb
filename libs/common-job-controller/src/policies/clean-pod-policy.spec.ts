import { describe, expect, it } from 'vitest';
import { plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { jobOf } from '../../test-support/plain-world.ts';
import { areServicesCleanedUp, isCleanedUp } from './clean-pod-policy.ts';
import { stateOf } from '../pods/replica-pods.ts';

const POLICIES = [undefined, '', 'None', 'Running', 'All'] as const;

/** For each policy, in the order of POLICIES, whether the pod goes: `+` or `-`. */
function fates(pod: PlainPod | undefined, { endsByItself = true, byLimit = false } = {}): string {
  const [role] = jobOf({ roles: [{ name: 'Worker', replicas: 1, endsByItself }] }).roles;
  if (role === undefined) throw new Error('a plain job has a role');
  const real = pod && plainPod(pod);
  const replica =
    real === undefined ? { role, state: 'succeeded' as const } : { role, pod: real, state: stateOf(real, 'main') };
  return POLICIES.map((policy) => (isCleanedUp(policy, replica, byLimit) ? '+' : '-')).join('');
}

describe('isCleanedUp: unset, empty, None, Running and All', () => {
  it.each<[string, PlainPod | undefined, string, Parameters<typeof fates>[1]?]>([
    ['take a running pod', { phase: 'Running' }, '---++'],
    ['take a pending pod', { phase: 'Pending' }, '---++'],
    ['take a succeeded pod', { phase: 'Succeeded' }, '----+'],
    ['take a failed pod', { phase: 'Failed', exit: 1 }, '----+'],
    ['take a pod that its sidecar keeps up after the work is done', { phase: 'Running', exit: 0 }, '++-++'],
    ['take a pod that its sidecar keeps up after the work has failed', { phase: 'Running', exit: 1 }, '++-++'],
    ['take a pod whose containers have all ended well', { phase: 'Running', exit: 0, sidecarExit: 0 }, '----+'],
    ['take one whose containers have all failed for good', { phase: 'Running', exit: 1, sidecarExit: 0 }, '----+'],
    [
      'take one whose failed container starts again',
      { phase: 'Running', exit: 1, sidecarExit: 0, restartPolicy: 'OnFailure' },
      '---++',
    ],
    [
      'take one that has ended in a job that a limit has ended',
      { phase: 'Running', exit: 1, sidecarExit: 0 },
      '----+',
      { byLimit: true },
    ],
    ['take a pod that never ends by itself', { phase: 'Running' }, '++-++', { endsByItself: false }],
    ['take one of those that waits for its node', { phase: 'Pending' }, '++-++', { endsByItself: false }],
    ['take one of those that did end', { phase: 'Failed', exit: 1 }, '----+', { endsByItself: false }],
    ['take a running pod of a job that a limit has ended', { phase: 'Running' }, '+++++', { byLimit: true }],
    ['take a pending pod of a job that a limit has ended', { phase: 'Pending' }, '+++++', { byLimit: true }],
    ['take an ended pod of a job that a limit has ended', { phase: 'Failed', exit: 1 }, '----+', { byLimit: true }],
    ['take a pod that is being deleted', { phase: 'Running', deleted: -1 }, '-----', { byLimit: true }],
    ['take a pod that is gone', undefined, '-----', { byLimit: true }],
  ])('%s', (_case, pod, expected, options) => {
    expect(fates(pod, options)).toBe(expected);
  });
});

describe('areServicesCleanedUp', () => {
  it('is when the policy leaves nothing that runs', () => {
    expect(POLICIES.map(areServicesCleanedUp)).toEqual([false, false, false, true, true]);
  });
});
