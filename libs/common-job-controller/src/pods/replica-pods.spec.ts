import { describe, expect, it } from 'vitest';
import { LABELS, type Pod } from '@muster/job-api';
import { at, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { containerRestarts, exitCodeOf, isReady, mainEndOf, stateOf } from './replica-pods.ts';
import { replicaLabelled } from '../contract/labels.ts';
import { trimPod } from './trim.ts';

describe('stateOf', () => {
  it.each<[string, PlainPod, ReturnType<typeof stateOf>]>([
    ['the pod is Pending', { phase: 'Pending' }, 'pending'],
    ['the pod is Running', { phase: 'Running' }, 'running'],
    ['the pod has Succeeded', { phase: 'Succeeded', exit: 0 }, 'succeeded'],
    ['the pod has Succeeded without container statuses', { phase: 'Succeeded' }, 'succeeded'],
    ['the pod has Failed', { phase: 'Failed', exit: 1 }, 'failed'],
    ['the pod was evicted', { phase: 'Failed', reason: 'Evicted' }, 'failed'],
    ['the program succeeded and a sidecar still runs', { phase: 'Running', exit: 0 }, 'succeeded'],
    [
      'the program succeeded with restartPolicy OnFailure',
      { phase: 'Running', exit: 0, restartPolicy: 'OnFailure' },
      'succeeded',
    ],
    [
      'the program succeeded with restartPolicy Always',
      { phase: 'Running', exit: 0, restartPolicy: 'Always' },
      'running',
    ],
    ['the program failed for good and a sidecar still runs', { phase: 'Running', exit: 1 }, 'failed'],
    [
      'the program failed and the kubelet restarts it',
      { phase: 'Running', exit: 1, restartPolicy: 'OnFailure' },
      'running',
    ],
    ['the program succeeded and a sidecar failed', { phase: 'Failed', exit: 0 }, 'succeeded'],
    ['an evicted program exits with 0 on SIGTERM', { phase: 'Failed', exit: 0, reason: 'Evicted' }, 'failed'],
    ['a preempted program exits with 0 on SIGTERM', { phase: 'Failed', exit: 0, disrupted: true }, 'failed'],
    [
      'activeDeadlineSeconds ends a program that exits with 0 on SIGTERM',
      { phase: 'Failed', exit: 0, reason: 'DeadlineExceeded' },
      'failed',
    ],
  ])('returns the state when %s', (_case, pod, state) => {
    expect(stateOf(plainPod(pod), 'main')).toBe(state);
  });

  it.each<[string, PlainPod, ReturnType<typeof stateOf>]>([
    ['is Running', { phase: 'Running' }, 'terminating'],
    ['is Pending', { phase: 'Pending' }, 'terminating'],
    ['fails after the deletion', { phase: 'Failed', exit: 143, ended: -5 }, 'terminating'],
    ['failed before the deletion', { phase: 'Failed', exit: 1, ended: -50, grace: 0 }, 'terminating'],
    ['succeeded before the deletion', { phase: 'Succeeded', exit: 0, ended: -50, grace: 0 }, 'succeeded'],
    ['succeeded in the same second', { phase: 'Succeeded', exit: 0, ended: -10, grace: 0 }, 'succeeded'],
    [
      'succeeded before its kubelet observed the deletion',
      { phase: 'Succeeded', exit: 0, ended: -11, grace: 0, knowsDeletion: false },
      'succeeded',
    ],
    [
      'exited with 0 on SIGTERM, and is released by its kubelet',
      { phase: 'Succeeded', exit: 0, ended: -11, grace: 0, knowsDeletion: true },
      'terminating',
    ],
    [
      'completed its program before, with a sidecar still running',
      { phase: 'Running', exit: 0, ended: -50 },
      'succeeded',
    ],
    ['succeeded at an unknown time', { phase: 'Succeeded', exit: 0 }, 'succeeded'],
    [
      'succeeded at an unknown time, with the deletion observed by its kubelet',
      { phase: 'Succeeded', exit: 0, grace: 0, knowsDeletion: true },
      'succeeded',
    ],
    ['exits with 0 on SIGTERM', { phase: 'Succeeded', exit: 0, ended: -5 }, 'terminating'],
    ['exits with 0 on SIGTERM at once', { phase: 'Succeeded', exit: 0, ended: -10 }, 'terminating'],
    ['exits with 0 on SIGTERM while a sidecar still runs', { phase: 'Running', exit: 0, ended: -5 }, 'terminating'],
    ['exits with 0 on SIGTERM while its sidecar fails', { phase: 'Failed', exit: 0, ended: -5 }, 'terminating'],
    [
      'exited with 0 on SIGTERM and is held by a finalizer',
      { phase: 'Succeeded', exit: 0, ended: -5, grace: 0 },
      'terminating',
    ],
  ])('returns the state of a deleted pod that %s', (_case, pod, state) => {
    expect(stateOf(plainPod({ deleted: -10, ...pod }), 'main')).toBe(state);
  });
});

describe.each([-300, 0, 300])('the state of a deleted pod on a node whose clock is %i s ahead', (aheadSeconds) => {
  const onNode = (pod: PlainPod & { readonly ended: number }) =>
    trimPod(plainPod({ ...pod, deleted: -10, ended: pod.ended + aheadSeconds, accepted: -60 + aheadSeconds }));

  it.each<[string, PlainPod & { readonly ended: number }]>([
    ['exits with 0 on SIGTERM at once', { phase: 'Succeeded', exit: 0, ended: -10 }],
    ['exits with 0 on SIGTERM', { phase: 'Succeeded', exit: 0, ended: -5 }],
    ['exits with 0 on SIGTERM while a sidecar runs', { exit: 0, ended: -5 }],
    ['has exited with 0 on SIGTERM, and waits for finalizers', { phase: 'Succeeded', exit: 0, ended: -5, grace: 0 }],
    ['exits with 0 on SIGTERM, with the deletion observed by its kubelet', { exit: 0, ended: -5, knowsDeletion: true }],
  ])('is terminating when its program %s', (_what, pod) => {
    expect(stateOf(onNode(pod), 'main')).toBe('terminating');
  });

  it.each<[string, PlainPod & { readonly ended: number }]>([
    ['before its kubelet observed the deletion', { phase: 'Succeeded', exit: 0, ended: -11, knowsDeletion: false }],
    [
      'before its kubelet observed the deletion, held by a finalizer',
      { phase: 'Succeeded', exit: 0, ended: -11, grace: 0, knowsDeletion: false },
    ],
    ['before its kubelet observed the deletion, while a sidecar runs', { exit: 0, ended: -11, knowsDeletion: false }],
  ])('is succeeded when its program succeeded %s', (_what, pod) => {
    expect(stateOf(onNode(pod), 'main')).toBe('succeeded');
  });

  // Without observedGeneration, a clock that is ahead looks like a kubelet that accepted the pod late.
  it('is succeeded when its program succeeded long before the deletion, or terminating if that is uncertain', () => {
    const state = stateOf(onNode({ exit: 0, ended: -50 }), 'main');
    expect(state).toBe(aheadSeconds > 0 ? 'terminating' : 'succeeded');
  });

  it('uses the time of binding for a pod that waited for a node', () => {
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
  /** Kubelets may list containers in another order than the spec. */
  function reversed(plain: PlainPod): Pod {
    const pod = plainPod(plain);
    return { ...pod, status: { ...pod.status, containerStatuses: pod.status?.containerStatuses?.toReversed() ?? [] } };
  }

  it('is found in any order of containers', () => {
    expect(mainEndOf(reversed({ exit: 3, sidecarExit: 0 }), 'main')?.exitCode).toBe(3);
    const answers: PlainPod = { phase: 'Succeeded', exit: 0, sidecarExit: 0, ended: -5, deleted: -10 };
    expect(stateOf(reversed(answers), 'main')).toBe('terminating');
  });
});

describe('reading a pod', () => {
  it('isReady reads the condition Ready', () => {
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
  ])('replicaLabelled reads the index label %j as %s', (label, index) => {
    const labels = { [LABELS.replicaType]: 'worker', ...(label !== undefined && { [LABELS.replicaIndex]: label }) };
    expect(replicaLabelled({ metadata: { labels } })?.index).toBe(index);
  });

  it('replicaLabelled is undefined with an index and no role', () => {
    expect(replicaLabelled({ metadata: { labels: { [LABELS.replicaIndex]: '0' } } })).toBeUndefined();
  });

  it('exitCodeOf returns the exit code of the named container only', () => {
    expect([exitCodeOf(plainPod({ exit: 3 }), 'main'), exitCodeOf(plainPod({ exit: 3 }), 'logger')]).toEqual([
      3,
      undefined,
    ]);
  });

  it('containerRestarts counts the program and the init containers, not sidecars', () => {
    expect(containerRestarts(plainPod({ restarts: 2, initRestarts: 3, sidecarRestarts: 50 }), 'main')).toBe(5);
    expect(containerRestarts({}, 'main')).toBe(0);
  });
});
