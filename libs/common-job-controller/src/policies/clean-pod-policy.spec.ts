import { describe, expect, it } from 'vitest';
import { plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { jobOf } from '../../test-support/plain-world.ts';
import { areServicesCleanedUp, isCleanedUp } from './clean-pod-policy.ts';
import { stateOf } from '../pods/replica-pods.ts';

const POLICIES = [undefined, '', 'None', 'Running', 'All'] as const;

/** Whether the pod is deleted, for each policy in the order of POLICIES: `+` or `-`. */
function deletions(pod: PlainPod | undefined, { endsByItself = true, byLimit = false } = {}): string {
  const [role] = jobOf({ roles: [{ name: 'Worker', replicas: 1, endsByItself }] }).roles;
  if (role === undefined) throw new Error('a plain job has a role');
  const real = pod && plainPod(pod);
  const replica =
    real === undefined ? { role, state: 'succeeded' as const } : { role, pod: real, state: stateOf(real, 'main') };
  return POLICIES.map((policy) => (isCleanedUp(policy, replica, byLimit) ? '+' : '-')).join('');
}

describe('isCleanedUp: unset, empty, None, Running and All', () => {
  it.each<[string, PlainPod | undefined, string, Parameters<typeof deletions>[1]?]>([
    ['a running pod', { phase: 'Running' }, '---++'],
    ['a pending pod', { phase: 'Pending' }, '---++'],
    ['a succeeded pod', { phase: 'Succeeded' }, '----+'],
    ['a failed pod', { phase: 'Failed', exit: 1 }, '----+'],
    ['a pod whose sidecar keeps running after the program succeeded', { phase: 'Running', exit: 0 }, '++-++'],
    ['a pod whose sidecar keeps running after the program failed', { phase: 'Running', exit: 1 }, '++-++'],
    ['a pod whose containers have all succeeded', { phase: 'Running', exit: 0, sidecarExit: 0 }, '----+'],
    ['a pod whose containers have all ended, with a failure', { phase: 'Running', exit: 1, sidecarExit: 0 }, '----+'],
    [
      'a pod whose failed container is restarted',
      { phase: 'Running', exit: 1, sidecarExit: 0, restartPolicy: 'OnFailure' },
      '---++',
    ],
    [
      'a pod whose containers have ended, in a job ended by a limit',
      { phase: 'Running', exit: 1, sidecarExit: 0 },
      '----+',
      { byLimit: true },
    ],
    ['a pod that never ends on its own', { phase: 'Running' }, '++-++', { endsByItself: false }],
    ['a pending pod that never ends on its own', { phase: 'Pending' }, '++-++', { endsByItself: false }],
    [
      'an ended pod that normally never ends on its own',
      { phase: 'Failed', exit: 1 },
      '----+',
      { endsByItself: false },
    ],
    ['a running pod of a job ended by a limit', { phase: 'Running' }, '+++++', { byLimit: true }],
    ['a pending pod of a job ended by a limit', { phase: 'Pending' }, '+++++', { byLimit: true }],
    ['an ended pod of a job ended by a limit', { phase: 'Failed', exit: 1 }, '----+', { byLimit: true }],
    ['a pod that is being deleted', { phase: 'Running', deleted: -1 }, '-----', { byLimit: true }],
    ['a missing pod', undefined, '-----', { byLimit: true }],
  ])('decide on %s', (_case, pod, expected, options) => {
    expect(deletions(pod, options)).toBe(expected);
  });
});

describe('areServicesCleanedUp', () => {
  it('is true if the policy leaves no running pods', () => {
    expect(POLICIES.map(areServicesCleanedUp)).toEqual([false, false, false, true, true]);
  });
});
