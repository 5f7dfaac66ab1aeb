import { expect, it } from 'vitest';
import { at, NOW, plainPod } from '../../test-support/plain-pod.ts';
import { jobOf } from '../../test-support/plain-world.ts';
import { placeKey } from '../model/replica-hosts.ts';
import { awaitingDelay } from './awaiting-delay.ts';

it('blocks a missing replica until its delay is over, unless another pod has run since, and keeps an existing failed pod', () => {
  const [role] = jobOf({ workers: 4 }).roles;
  if (role === undefined) throw new Error('a plain job has a role');
  const wanted = [
    { role, index: 0, state: 'missing' as const },
    { role, index: 1, state: 'missing' as const },
    { role, index: 3, state: 'missing' as const },
    { role, index: 2, state: 'failed' as const, pod: plainPod({ index: 2, phase: 'Failed', exit: 137 }) },
  ];
  const record = { mark: 'abcd', replaced: true, failures: 1, lastFailureTime: at(0), delaySeconds: 60 };
  const late = { ...record, lastFailureTime: at(-60) };
  const { replaced: _replaced, ...another } = record;
  const recordOf = (index: number) => [record, late, record, another][index]!;
  const records = new Map(wanted.map((replica) => [placeKey(replica), { replica, ...recordOf(replica.index) }]));
  expect(awaitingDelay(wanted, records, NOW).map(({ blockedBy }) => blockedBy)).toEqual([
    'delay',
    undefined,
    undefined,
    undefined,
  ]);
});
