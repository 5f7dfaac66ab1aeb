import { describe, expect, it } from 'vitest';
import { LABELS, type Pod } from '@muster/job-api';
import { at, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { containerRestarts, exitCodeOf, isReady, mainEndOf, stateOf } from './replica-pods.ts';
import { replicaLabelled } from '../contract/labels.ts';
import { trimPod } from './trim.ts';

describe('stateOf', () => {
  it.each<[string, PlainPod, ReturnType<typeof stateOf>]>([
    ['a pod waits', { phase: 'Pending' }, 'pending'],
    ['a pod runs', { phase: 'Running' }, 'running'],
    ['a pod has ended well', { phase: 'Succeeded', exit: 0 }, 'succeeded'],
    ['a pod has ended well, and nobody saw its containers', { phase: 'Succeeded' }, 'succeeded'],
    ['a pod has failed', { phase: 'Failed', exit: 1 }, 'failed'],
    ['a pod was evicted', { phase: 'Failed', reason: 'Evicted' }, 'failed'],
    ['the work is done and a sidecar runs on', { phase: 'Running', exit: 0 }, 'succeeded'],
    [
      'the work is done and the kubelet restarts only what fails',
      { phase: 'Running', exit: 0, restartPolicy: 'OnFailure' },
      'succeeded',
    ],
    [
      'the work has ended but is always started again',
      { phase: 'Running', exit: 0, restartPolicy: 'Always' },
      'running',
    ],
    ['the work has failed for good and a sidecar runs on', { phase: 'Running', exit: 1 }, 'failed'],
    ['the work has failed and is started again', { phase: 'Running', exit: 1, restartPolicy: 'OnFailure' }, 'running'],
    ['the work is done and a sidecar has failed', { phase: 'Failed', exit: 0 }, 'succeeded'],
    ['an evicted program answers the signal with 0', { phase: 'Failed', exit: 0, reason: 'Evicted' }, 'failed'],
    ['a preempted program answers the signal with 0', { phase: 'Failed', exit: 0, disrupted: true }, 'failed'],
    [
      "the pod's own deadline ends a program that answers with 0",
      { phase: 'Failed', exit: 0, reason: 'DeadlineExceeded' },
      'failed',
    ],
  ])('when %s', (_case, pod, state) => {
    expect(stateOf(plainPod(pod), 'main')).toBe(state);
  });

  it.each<[string, PlainPod, ReturnType<typeof stateOf>]>([
    ['runs', { phase: 'Running' }, 'terminating'],
    ['waits', { phase: 'Pending' }, 'terminating'],
    ['fails under it', { phase: 'Failed', exit: 143, ended: -5 }, 'terminating'],
    ['had failed before', { phase: 'Failed', exit: 1, ended: -50, grace: 0 }, 'terminating'],
    ['had ended well before', { phase: 'Succeeded', exit: 0, ended: -50, grace: 0 }, 'succeeded'],
    ['had ended well in the same second', { phase: 'Succeeded', exit: 0, ended: -10, grace: 0 }, 'succeeded'],
    [
      'had ended well before its kubelet knew of it',
      { phase: 'Succeeded', exit: 0, ended: -11, grace: 0, knowsDeletion: false },
      'succeeded',
    ],
    [
      'answered the signal with 0, and is let go by its kubelet',
      { phase: 'Succeeded', exit: 0, ended: -11, grace: 0, knowsDeletion: true },
      'terminating',
    ],
    ['had done its work before, but for a sidecar', { phase: 'Running', exit: 0, ended: -50 }, 'succeeded'],
    ['ended well, nobody knows when', { phase: 'Succeeded', exit: 0 }, 'succeeded'],
    [
      'ended well, nobody knows when, though its kubelet knew of the deletion',
      { phase: 'Succeeded', exit: 0, grace: 0, knowsDeletion: true },
      'succeeded',
    ],
    ['answers the signal with 0', { phase: 'Succeeded', exit: 0, ended: -5 }, 'terminating'],
    ['answers the signal with 0 at once', { phase: 'Succeeded', exit: 0, ended: -10 }, 'terminating'],
    ['answers the signal with 0 while a sidecar still runs', { phase: 'Running', exit: 0, ended: -5 }, 'terminating'],
    ['answers the signal with 0 while its sidecar fails', { phase: 'Failed', exit: 0, ended: -5 }, 'terminating'],
    [
      'answered the signal with 0 and is held by a finalizer',
      { phase: 'Succeeded', exit: 0, ended: -5, grace: 0 },
      'terminating',
    ],
  ])('of a pod that is deleted and %s', (_case, pod, state) => {
    expect(stateOf(plainPod({ deleted: -10, ...pod }), 'main')).toBe(state);
  });
});

/** By how many seconds the clock of the node is ahead of that of the API server. */
describe.each([-300, 0, 300])('the state of a deleted pod on a node whose clock is %i s ahead', (aheadSeconds) => {
  const onNode = (pod: PlainPod & { readonly ended: number }) =>
    trimPod(plainPod({ ...pod, deleted: -10, ended: pod.ended + aheadSeconds, accepted: -60 + aheadSeconds }));

  it.each<[string, PlainPod & { readonly ended: number }]>([
    ['answers the signal with 0 at once', { phase: 'Succeeded', exit: 0, ended: -10 }],
    ['answers the signal with 0', { phase: 'Succeeded', exit: 0, ended: -5 }],
    ['answers the signal with 0 while a sidecar runs', { exit: 0, ended: -5 }],
    ['has answered the signal with 0, and waits for finalizers', { phase: 'Succeeded', exit: 0, ended: -5, grace: 0 }],
    ['answers the signal with 0, known to its kubelet', { exit: 0, ended: -5, knowsDeletion: true }],
  ])('is terminating when its program %s', (_what, pod) => {
    expect(stateOf(onNode(pod), 'main')).toBe('terminating');
  });

  it.each<[string, PlainPod & { readonly ended: number }]>([
    ['before its kubelet knew of the deletion', { phase: 'Succeeded', exit: 0, ended: -11, knowsDeletion: false }],
    ['before that, held by a finalizer', { phase: 'Succeeded', exit: 0, ended: -11, grace: 0, knowsDeletion: false }],
    ['before that, while a sidecar runs', { exit: 0, ended: -11, knowsDeletion: false }],
  ])('is succeeded when its program ended well %s', (_what, pod) => {
    expect(stateOf(onNode(pod), 'main')).toBe('succeeded');
  });

  // Without a generation, a clock that is ahead looks like a kubelet that accepted the pod late.
  it('is succeeded when its program ended well long before the deletion, or terminating where that is uncertain', () => {
    const state = stateOf(onNode({ exit: 0, ended: -50 }), 'main');
    expect(state).toBe(aheadSeconds > 0 ? 'terminating' : 'succeeded');
  });

  it('is judged by when the API server bound the pod, where it waited for a node', () => {
    const pod = onNode({ exit: 0, ended: -5 });
    const bound = { type: 'PodScheduled', status: 'True', lastTransitionTime: at(-60) };
    const waited = {
      ...pod,
      metadata: { ...pod.metadata, creationTimestamp: at(-900) },
      status: { ...pod.status, conditions: [bound] },
    };
    expect(stateOf(trimPod(waited), 'main')).toBe('terminating');
  });
});

describe("the end of the framework's container", () => {
  /** As a kubelet lists containers whose names come in another order. */
  function reversed(plain: PlainPod): Pod {
    const pod = plainPod(plain);
    return { ...pod, status: { ...pod.status, containerStatuses: pod.status?.containerStatuses?.toReversed() ?? [] } };
  }

  it('is found whatever the order of containers is', () => {
    expect(mainEndOf(reversed({ exit: 3, sidecarExit: 0 }), 'main')?.exitCode).toBe(3);
    const answers: PlainPod = { phase: 'Succeeded', exit: 0, sidecarExit: 0, ended: -5, deleted: -10 };
    expect(stateOf(reversed(answers), 'main')).toBe('terminating');
  });
});

describe('what a pod says of itself', () => {
  it('is ready by its condition', () => {
    expect([plainPod({ ready: true }), plainPod({ ready: false }), {}].map(isReady)).toEqual([true, false, false]);
    const initialized = { type: 'Initialized', status: 'True' } as const;
    expect(isReady({ status: { conditions: [initialized, { type: 'Ready', status: 'False' }] } })).toBe(false);
    expect(isReady(undefined)).toBe(false);
  });

  it.each([
    ['3', 3],
    ['0', 0],
    ['', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['first', undefined],
    [undefined, undefined],
  ])('has the index of its label %j: %s', (label, index) => {
    const labels = { [LABELS.replicaType]: 'worker', ...(label !== undefined && { [LABELS.replicaIndex]: label }) };
    expect(replicaLabelled({ metadata: { labels } })?.index).toBe(index);
  });

  it('is no replica where it has an index and no role', () => {
    expect(replicaLabelled({ metadata: { labels: { [LABELS.replicaIndex]: '0' } } })).toBeUndefined();
  });

  it("has the exit code of the framework's container and of no other", () => {
    expect([exitCodeOf(plainPod({ exit: 3 }), 'main'), exitCodeOf(plainPod({ exit: 3 }), 'logger')]).toEqual([
      3,
      undefined,
    ]);
  });

  it('was restarted as often as its work and its init containers were, whatever its sidecars did', () => {
    expect(containerRestarts(plainPod({ restarts: 2, initRestarts: 3, sidecarRestarts: 50 }), 'main')).toBe(5);
    expect(containerRestarts({}, 'main')).toBe(0);
  });
});
