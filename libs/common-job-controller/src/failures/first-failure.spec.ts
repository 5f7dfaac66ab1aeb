import { describe, expect, it } from 'vitest';
import { plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { firstFailed } from './first-failure.ts';

const RESET = 'RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.7]:41922';

describe('firstFailed', () => {
  it.each<[string, PlainPod, PlainPod]>([
    ['ended earlier', { exit: 1, ended: -9 }, { exit: 1, ended: -3 }],
    ['died, not whose connection it closed before', { exit: 139, ended: -3 }, { exit: 1, ended: -5, words: RESET }],
    ['died in the same second', { exit: 1, ended: -5 }, { exit: 1, ended: -5, words: 'Connection reset by peer' }],
    ['died, not who was told to end', { exit: 1, ended: -3 }, { exit: 143, ended: -4 }],
    [
      'was killed, not who waited for it',
      { exit: 137, ended: -3 },
      { exit: 1, ended: -4, words: 'Timed out waiting 1800000ms for recv' },
    ],
    ['died, not who could not reach it', { exit: 1, ended: -3 }, { exit: 1, ended: -4, words: 'Connection refused' }],
    [
      'died, not who read nothing more from it',
      { exit: 139, ended: -5 },
      { exit: 1, ended: -5, words: 'failed to recv, got 0 bytes' },
    ],
    ['was out of memory', { exit: 137, containerReason: 'OOMKilled', ended: -3 }, { exit: 143, ended: -4 }],
    ['was preempted, though it was told to end', { exit: 143, disrupted: true, ended: -3 }, { exit: 143, ended: -4 }],
    ['lost a peer long before', { exit: 1, ended: -400, words: RESET }, { exit: 1, ended: -3 }],
    ['fell first, when all say that they fell', { exit: 1, ended: -5, words: RESET }, { exit: 143, ended: -4 }],
  ])('is who %s', (_who, first, other) => {
    const [wanted, second] = [
      plainPod({ index: 1, phase: 'Failed', ...first }),
      plainPod({ index: 0, phase: 'Failed', ...other }),
    ];
    expect(firstFailed([second, wanted])?.metadata?.name).toBe(wanted.metadata?.name);
    expect(firstFailed([wanted, second])?.metadata?.name).toBe(wanted.metadata?.name);
  });

  it('goes by when an init container ended, and not by when its pod was made', () => {
    const [status] = plainPod({ exit: 1, ended: -3 }).status?.containerStatuses ?? [];
    const pod = plainPod({ index: 1, phase: 'Failed' });
    const ofInit = { ...pod, status: { ...pod.status, initContainerStatuses: status ? [status] : [] } };
    const other = plainPod({ index: 0, phase: 'Failed', exit: 1, ended: -9 });
    expect(firstFailed([ofInit, other])).toBe(other);
  });

  it('is nobody of none', () => {
    expect(firstFailed([])).toBeUndefined();
  });
});
