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
  it.each<[what: string, pods: Pod[], emitted: [reason: string, note: string][]]>([
    ['nothing for running pods', [plainPod()], []],
    [
      'an unschedulable pod',
      [unplaced()],
      [['Unschedulable', 'Pod job-worker-0 cannot be placed on a node: 0/1 nodes']],
    ],
    [
      'the first of several pods',
      [plainPod(), unplaced(1), unplaced(2), unplaced(3)],
      [['Unschedulable', 'Pod job-worker-1 cannot be placed on a node: 0/1 nodes (and 2 more pods of the job)']],
    ],
    [
      'the first of two pods',
      [unplaced(1), unplaced(2)],
      [['Unschedulable', 'Pod job-worker-1 cannot be placed on a node: 0/1 nodes (and 1 more pod of the job)']],
    ],
    [
      'an image that cannot be pulled',
      [waiting('ImagePullBackOff', 'Back-off pulling image "i"')],
      [['ImagePullBackOff', 'Pod job-worker-0, container main: Back-off pulling image "i"']],
    ],
    [
      'an init container',
      [waiting('CreateContainerConfigError', 'secret "s" not found', 'initContainerStatuses')],
      [['CreateContainerConfigError', 'Pod job-worker-0, container main: secret "s" not found']],
    ],
    [
      'each reason',
      [unplaced(1), waiting('ErrImagePull', 'no')],
      [
        ['Unschedulable', 'Pod job-worker-1 cannot be placed on a node: 0/1 nodes'],
        ['ErrImagePull', 'Pod job-worker-0, container main: no'],
      ],
    ],
    [
      'a container that keeps failing, with its last exit',
      [plainPod({ waits: 'CrashLoopBackOff', message: 'back-off 40s', restarts: 4, exitBefore: 3 })],
      [['CrashLoopBackOff', 'Pod job-worker-0, container main keeps failing: last exit code 3; back-off 40s']],
    ],
    ['nothing for a container that is about to start', [waiting('ContainerCreating')], []],
    [
      'nothing for a pod that is being deleted',
      [{ ...unplaced(), metadata: plainPod({ deleted: -1 }).metadata ?? {} }],
      [],
    ],
    ['nothing for a pod that has ended', [{ ...waiting('ErrImagePull', 'no'), status: { phase: 'Failed' } }], []],
  ])('reports %s', (_what, pods, emitted) => {
    expect(waitingPods(pods, NONE, false).map(({ reason, note }) => [reason, note])).toEqual(emitted);
  });

  it('reports each pod once, and a later pod of the same name again', () => {
    const emitted = new Set(waitingPods([unplaced()], NONE, false).map(({ dedupKey = '' }) => dedupKey));
    expect(waitingPods([unplaced()], emitted, false)).toEqual([]);
    const { metadata, ...rest } = unplaced();
    expect(waitingPods([{ ...rest, metadata: { ...metadata, uid: 'next' } }], emitted, false)).toHaveLength(1);
  });

  it('does not report a problem again when an earlier pod of the job gets it, too', () => {
    const emitted = new Set(waitingPods([unplaced(1)], NONE, false).map(({ dedupKey = '' }) => dedupKey));
    expect(waitingPods([unplaced(0), unplaced(1)], emitted, false)).toEqual([]);
    expect(waitingPods([unplaced(0), plainPod({ index: 1 })], emitted, false)).toHaveLength(1);
  });

  it('does not report unschedulable pods of a gang', () => {
    expect(waitingPods([unplaced(), waiting('ErrImagePull', 'no')], NONE, true)).toMatchObject([
      { reason: 'ErrImagePull' },
    ]);
  });

  it('adds an event and a condition to the plan, and changes nothing else', () => {
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
