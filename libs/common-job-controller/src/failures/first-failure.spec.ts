import { describe, expect, it } from 'vitest';
import { plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { firstFailed } from './first-failure.ts';

const RESET = 'RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.7]:41922';

describe('firstFailed', () => {
  it.each<[string, PlainPod, PlainPod]>([
    ['ended earlier', { exit: 1, ended: -9 }, { exit: 1, ended: -3 }],
    [
      'died rather than the peer whose connection it closed',
      { exit: 139, ended: -3 },
      { exit: 1, ended: -5, message: RESET },
    ],
    [
      'died in the same second as its peer',
      { exit: 1, ended: -5 },
      { exit: 1, ended: -5, message: 'Connection reset by peer' },
    ],
    ['died rather than the peer that got SIGTERM', { exit: 1, ended: -3 }, { exit: 143, ended: -4 }],
    [
      'was killed rather than the peer that waited for it',
      { exit: 137, ended: -3 },
      { exit: 1, ended: -4, message: 'Timed out waiting 1800000ms for recv' },
    ],
    [
      'died rather than the peer that could not reach it',
      { exit: 1, ended: -3 },
      { exit: 1, ended: -4, message: 'Connection refused' },
    ],
    [
      'died rather than the peer that received nothing from it',
      { exit: 139, ended: -5 },
      { exit: 1, ended: -5, message: 'failed to recv, got 0 bytes' },
    ],
    ['ran out of memory', { exit: 137, containerReason: 'OOMKilled', ended: -3 }, { exit: 143, ended: -4 }],
    ['was preempted and got SIGTERM', { exit: 143, disrupted: true, ended: -3 }, { exit: 143, ended: -4 }],
    ['lost a peer long before', { exit: 1, ended: -400, message: RESET }, { exit: 1, ended: -3 }],
    ['failed first if all report a lost peer', { exit: 1, ended: -5, message: RESET }, { exit: 143, ended: -4 }],
  ])('is the pod that %s', (_who, first, other) => {
    const [wanted, second] = [
      plainPod({ index: 1, phase: 'Failed', ...first }),
      plainPod({ index: 0, phase: 'Failed', ...other }),
    ];
    expect(firstFailed([second, wanted])?.metadata?.name).toBe(wanted.metadata?.name);
    expect(firstFailed([wanted, second])?.metadata?.name).toBe(wanted.metadata?.name);
  });

  it("uses the end of an init container rather than the pod's creation", () => {
    const [status] = plainPod({ exit: 1, ended: -3 }).status?.containerStatuses ?? [];
    const pod = plainPod({ index: 1, phase: 'Failed' });
    const ofInit = { ...pod, status: { ...pod.status, initContainerStatuses: status ? [status] : [] } };
    const other = plainPod({ index: 0, phase: 'Failed', exit: 1, ended: -9 });
    expect(firstFailed([ofInit, other])).toBe(other);
  });

  it('is undefined without pods', () => {
    expect(firstFailed([])).toBeUndefined();
  });
});
