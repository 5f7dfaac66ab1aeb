import type { ContainerStatus, Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainPod } from '../../test-support/plain-pod.ts';
import { inPlaceCause, recreationCause } from './restart-cause.ts';

const OOM_KILLED = { terminated: { exitCode: 137, reason: 'OOMKilled' } };
const ERROR = { terminated: { exitCode: 1, reason: 'Error' } };

function withContainer(pod: Pod, states: Pick<ContainerStatus, 'state' | 'lastState'>): Pod {
  const container = { name: 'main', image: '', imageID: '', ready: false, restartCount: 1, ...states };
  return { ...pod, status: { ...pod.status, containerStatuses: [container] } };
}

describe('recreationCause', () => {
  const failed = plainPod({ phase: 'Failed', exit: 137 });

  it.each([
    ['a program that was not killed for its memory', failed, 'ProgramFailed'],
    ['a program that ran out of memory', withContainer(failed, { state: OOM_KILLED }), 'OutOfMemory'],
    ['a disrupted pod, however its containers ended', plainPod({ phase: 'Failed', disrupted: true }), 'ClusterEnded'],
    ['a pod rejected by its node', plainPod({ phase: 'Failed', reason: 'NodeAffinity' }), 'NodeRefused'],
  ])('of %s', (_case, pod, cause) => {
    expect(recreationCause(pod)).toBe(cause);
  });
});

describe('inPlaceCause', () => {
  const running = { running: { startedAt: '2030-01-01T00:00:00Z' } };

  it.each([
    ['a program that failed', { state: running, lastState: ERROR }, 'ProgramFailed'],
    ['a program that ran out of memory', { state: running, lastState: OOM_KILLED }, 'OutOfMemory'],
    [
      'a container that waits for its next start after an OOM kill',
      { state: { waiting: {} }, lastState: OOM_KILLED },
      'OutOfMemory',
    ],
    ['a container whose last end differs from the one before', { state: ERROR, lastState: OOM_KILLED }, 'OutOfMemory'],
  ])('of %s', (_case, states, cause) => {
    expect(inPlaceCause(withContainer(plainPod(), states))).toBe(cause);
  });
});
