import { expect, it } from 'vitest';
import { at, NOW } from '../../test-support/plain-pod.ts';
import { withReplicaFailure } from './replica-failure.ts';

it('has the newest message, unless only numbers in it have changed', () => {
  const reported = (status: Parameters<typeof withReplicaFailure>[0], message: string, seconds: number) =>
    withReplicaFailure(status, { reason: 'FailedCreate', message }, NOW + seconds * 1000);
  const created = { conditions: [{ type: 'Created', status: 'True', lastTransitionTime: at(-10) } as const] };
  const first = reported(created, 'pod job-worker-9 is refused: used 9 of 10', 0);
  expect(reported(first, 'pod job-worker-10 is refused: used 10 of 10', 5)).toBe(first);
  const other = reported(first, 'pod job-worker-9 is refused: image is not allowed', 5);
  expect(other.conditions?.[0]?.message).toBe('pod job-worker-9 is refused: image is not allowed');
});
