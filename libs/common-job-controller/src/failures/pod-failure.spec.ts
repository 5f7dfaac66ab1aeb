import { describe, expect, it } from 'vitest';
import { plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { podFailure, type PodFailure } from './pod-failure.ts';

describe('podFailure', () => {
  it.each<[string, PlainPod, PodFailure['class']]>([
    ['by its program', { phase: 'Failed', exit: 1 }, 'Program'],
    ['by a signal', { phase: 'Failed', exit: 139 }, 'Program'],
    ['by a command that does not exist', { phase: 'Failed', exit: 128, containerReason: 'StartError' }, 'Program'],
    ['over its activeDeadlineSeconds', { phase: 'Failed', reason: 'DeadlineExceeded' }, 'Program'],
    ['because of an OOM kill', { phase: 'Failed', exit: 137, containerReason: 'OOMKilled' }, 'OutOfMemory'],
    ['evicted because of disk usage', { phase: 'Failed', reason: 'Evicted', exit: 137 }, 'Evicted'],
    ['evicted by the API', { exit: 143, disrupted: true, disruption: 'EvictionByEvictionAPI' }, 'Evicted'],
    ['ended by its kubelet', { exit: 143, disrupted: true, disruption: 'TerminationByKubelet' }, 'Evicted'],
    ['on a node that shuts down', { phase: 'Failed', reason: 'Terminated', exit: 143 }, 'Evicted'],
    ['preempted by the scheduler', { exit: 143, disrupted: true }, 'Preempted'],
    [
      'preempted by its kubelet',
      { phase: 'Failed', reason: 'Preempting', exit: 143, disrupted: true, disruption: 'TerminationByKubelet' },
      'Preempted',
    ],
    ['because its node was lost', { disrupted: true, disruption: 'DeletionByTaintManager' }, 'NodeLost'],
    [
      'because its node was lost, deleted by the pod garbage collector',
      { disrupted: true, disruption: 'DeletionByPodGC' },
      'NodeLost',
    ],
    ['without its image', { phase: 'Pending', waits: 'ImagePullBackOff' }, 'Image'],
    ['because of an invalid image name', { phase: 'Pending', waits: 'InvalidImageName' }, 'Image'],
    ['without its Secret', { phase: 'Pending', waits: 'CreateContainerConfigError' }, 'Refused'],
    ['refused by its node', { phase: 'Failed', reason: 'OutOfcpu' }, 'Refused'],
    ['refused by a node under pressure', { phase: 'Failed', reason: 'Evicted' }, 'Refused'],
  ])('classifies a pod that failed %s', (_how, pod, expected) => {
    expect(podFailure(plainPod(pod))?.class).toBe(expected);
  });

  it.each<[string, PlainPod]>([
    ['runs', { phase: 'Running' }],
    ['has succeeded', { phase: 'Succeeded', exit: 0 }],
    ['is about to start', { phase: 'Pending', waits: 'ContainerCreating' }],
  ])('is undefined for a pod that %s', (_what, pod) => {
    expect(podFailure(plainPod(pod))).toBeUndefined();
  });
});
