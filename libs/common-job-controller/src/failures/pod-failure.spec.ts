import { describe, expect, it } from 'vitest';
import { plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { podFailure, type PodFailure } from './pod-failure.ts';

describe('podFailure', () => {
  it.each<[string, PlainPod, PodFailure['class']]>([
    ['by its program', { phase: 'Failed', exit: 1 }, 'Program'],
    ['by a signal', { phase: 'Failed', exit: 139 }, 'Program'],
    ['by a command that is not there', { phase: 'Failed', exit: 128, containerReason: 'StartError' }, 'Program'],
    ['over its own deadline', { phase: 'Failed', reason: 'DeadlineExceeded' }, 'Program'],
    ['for want of memory', { phase: 'Failed', exit: 137, containerReason: 'OOMKilled' }, 'OutOfMemory'],
    ['evicted for want of disk', { phase: 'Failed', reason: 'Evicted', exit: 137 }, 'Evicted'],
    ['evicted by the API', { exit: 143, disrupted: true, disruption: 'EvictionByEvictionAPI' }, 'Evicted'],
    ['ended by its kubelet', { exit: 143, disrupted: true, disruption: 'TerminationByKubelet' }, 'Evicted'],
    ['on a node that shuts down', { phase: 'Failed', reason: 'Terminated', exit: 143 }, 'Evicted'],
    ['preempted by the scheduler', { exit: 143, disrupted: true }, 'Preempted'],
    [
      'preempted by its kubelet',
      { phase: 'Failed', reason: 'Preempting', exit: 143, disrupted: true, disruption: 'TerminationByKubelet' },
      'Preempted',
    ],
    ['with its node', { disrupted: true, disruption: 'DeletionByTaintManager' }, 'NodeLost'],
    ['with its node, collected', { disrupted: true, disruption: 'DeletionByPodGC' }, 'NodeLost'],
    ['without its image', { phase: 'Pending', waits: 'ImagePullBackOff' }, 'Image'],
    ['of an image that has no name', { phase: 'Pending', waits: 'InvalidImageName' }, 'Image'],
    ['without its Secret', { phase: 'Pending', waits: 'CreateContainerConfigError' }, 'Refused'],
    ['refused by its node', { phase: 'Failed', reason: 'OutOfcpu' }, 'Refused'],
    ['refused by a node under pressure', { phase: 'Failed', reason: 'Evicted' }, 'Refused'],
  ])('of a pod that failed %s', (_how, pod, expected) => {
    expect(podFailure(plainPod(pod))?.class).toBe(expected);
  });

  it.each<[string, PlainPod]>([
    ['runs', { phase: 'Running' }],
    ['has ended well', { phase: 'Succeeded', exit: 0 }],
    ['is about to start', { phase: 'Pending', waits: 'ContainerCreating' }],
  ])('is undefined of a pod that %s', (_what, pod) => {
    expect(podFailure(plainPod(pod))).toBeUndefined();
  });
});
