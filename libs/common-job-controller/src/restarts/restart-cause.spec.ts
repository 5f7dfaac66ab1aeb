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
    ['a program that was killed otherwise', failed, 'ProgramFailed'],
    ['one that ran out of memory', withContainer(failed, { state: OOM_KILLED }), 'OutOfMemory'],
    [
      'what the cluster ended, whatever became of its containers',
      plainPod({ phase: 'Failed', disrupted: true }),
      'ClusterEnded',
    ],
    ['what a node refused', plainPod({ phase: 'Failed', reason: 'NodeAffinity' }), 'NodeRefused'],
  ])('of %s', (_case, pod, cause) => {
    expect(recreationCause(pod)).toBe(cause);
  });
});

describe('inPlaceCause', () => {
  const running = { running: { startedAt: '2030-01-01T00:00:00Z' } };

  it.each([
    ['a program that failed', { state: running, lastState: ERROR }, 'ProgramFailed'],
    ['one that ran out of memory', { state: running, lastState: OOM_KILLED }, 'OutOfMemory'],
    ['one that waits for its next start', { state: { waiting: {} }, lastState: OOM_KILLED }, 'OutOfMemory'],
    [
      'one of which the last end is another than the one before',
      { state: ERROR, lastState: OOM_KILLED },
      'OutOfMemory',
    ],
  ])('of %s', (_case, states, cause) => {
    expect(inPlaceCause(withContainer(plainPod(), states))).toBe(cause);
  });
});
