import type { ContainerStatus, Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainPod } from '../../test-support/plain-pod.ts';
import { planOf } from '../../test-support/plain-world.ts';
import { waitingPods } from './waiting-pods.ts';

const NONE: ReadonlySet<string> = new Set();

function unplaced(index = 0): Pod {
  const pod = plainPod({ index, phase: 'Pending' });
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' };
  return { ...pod, status: { phase: 'Pending', conditions: [condition] } };
}

function waiting(
  reason: string,
  message?: string,
  of: 'containerStatuses' | 'initContainerStatuses' = 'containerStatuses',
) {
  const state = { waiting: { reason, ...(message !== undefined && { message }) } };
  const status: ContainerStatus = { name: 'main', state, restartCount: 0, ready: false, image: '', imageID: '' };
  return { ...plainPod({ phase: 'Pending' }), status: { phase: 'Pending', [of]: [status] } };
}

describe('waitingPods', () => {
  it.each<[what: string, pods: Pod[], told: [reason: string, note: string][]]>([
    ['nothing of pods that run', [plainPod()], []],
    [
      'of one that no node takes',
      [unplaced()],
      [['Unschedulable', 'Pod job-worker-0 cannot be placed on a node: 0/1 nodes']],
    ],
    [
      'of the first of several',
      [plainPod(), unplaced(1), unplaced(2), unplaced(3)],
      [['Unschedulable', 'Pod job-worker-1 cannot be placed on a node: 0/1 nodes (and 2 more of its pods)']],
    ],
    [
      'of an image that cannot be pulled',
      [waiting('ImagePullBackOff', 'Back-off pulling image "i"')],
      [['ImagePullBackOff', 'Pod job-worker-0, container main: Back-off pulling image "i"']],
    ],
    [
      'of an init container',
      [waiting('CreateContainerConfigError', 'secret "s" not found', 'initContainerStatuses')],
      [['CreateContainerConfigError', 'Pod job-worker-0, container main: secret "s" not found']],
    ],
    [
      'of each reason',
      [unplaced(1), waiting('ErrImagePull', 'no')],
      [
        ['Unschedulable', 'Pod job-worker-1 cannot be placed on a node: 0/1 nodes'],
        ['ErrImagePull', 'Pod job-worker-0, container main: no'],
      ],
    ],
    [
      'of a container that keeps failing, with its last end',
      [plainPod({ waits: 'CrashLoopBackOff', words: 'back-off 40s', restarts: 4, exitBefore: 3 })],
      [['CrashLoopBackOff', 'Pod job-worker-0, container main keeps failing: last exit code 3; back-off 40s']],
    ],
    ['nothing of a container that is about to start', [waiting('ContainerCreating')], []],
    ['nothing of a pod that goes', [{ ...unplaced(), metadata: plainPod({ deleted: -1 }).metadata ?? {} }], []],
    ['nothing of a pod that has ended', [{ ...waiting('ErrImagePull', 'no'), status: { phase: 'Failed' } }], []],
  ])('tells %s', (_what, pods, told) => {
    expect(waitingPods(pods, NONE, false).map(({ reason, note }) => [reason, note])).toEqual(told);
  });

  it('tells it once of a pod, and of the next one of its name again', () => {
    const told = new Set(waitingPods([unplaced()], NONE, false).map(({ dedupKey = '' }) => dedupKey));
    expect(waitingPods([unplaced()], told, false)).toEqual([]);
    const { metadata, ...rest } = unplaced();
    expect(waitingPods([{ ...rest, metadata: { ...metadata, uid: 'next' } }], told, false)).toHaveLength(1);
  });

  it('leaves it to a gang scheduler to tell why pods are not placed', () => {
    expect(waitingPods([unplaced(), waiting('ErrImagePull', 'no')], NONE, true)).toMatchObject([
      { reason: 'ErrImagePull' },
    ]);
  });

  it('is told of jobs and stands in their status, and changes nothing else', () => {
    const { events, status, ...plan } = planOf({
      workers: 2,
      pods: [{}, { index: 1, phase: 'Pending', unplaced: 'no room' }],
    });
    expect(events).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'Unschedulable' }));
    const {
      events: _others,
      status: other,
      ...undisturbed
    } = planOf({
      workers: 2,
      pods: [{}, { index: 1, phase: 'Pending' }],
    });
    expect(plan).toEqual(undisturbed);
    expect(status).toEqual({
      ...other,
      conditions: [expect.objectContaining({ type: 'Waiting', reason: 'Unschedulable' }), ...(other?.conditions ?? [])],
    });
  });
});
