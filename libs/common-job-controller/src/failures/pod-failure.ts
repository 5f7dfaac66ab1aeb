import { containersOf, type FailureClass, type Pod } from '@muster/job-api';
import { disruptionOf, endOf } from '../pods/pod-end.ts';

export interface PodFailure {
  readonly class: Exclude<FailureClass, 'Cascade' | 'Deleted'>;
  readonly reason?: string;
}

const OF_DISRUPTIONS: ReadonlyMap<string, PodFailure['class']> = new Map([
  ['PreemptionByScheduler', 'Preempted'],
  ['PreemptionByKubeScheduler', 'Preempted'],
  ['DeletionByTaintManager', 'NodeLost'],
  ['DeletionByPodGC', 'NodeLost'],
]);

const OF_WAITING: ReadonlyMap<string, PodFailure['class']> = new Map([
  ['ImagePullBackOff', 'Image'],
  ['InvalidImageName', 'Image'],
  ['ErrImageNeverPull', 'Image'],
  ['CreateContainerConfigError', 'Refused'],
]);

/** Undefined for a pod without a failure. */
export function podFailure(pod: Pod): PodFailure | undefined {
  // A kubelet that preempts for a critical pod sets the same condition reason as for all its terminations.
  if (pod.status?.reason === 'Preempting') return { class: 'Preempted', reason: pod.status.reason };
  const disruption = disruptionOf(pod);
  if (disruption !== undefined) {
    const { reason = 'DisruptionTarget' } = disruption;
    return { class: OF_DISRUPTIONS.get(reason) ?? 'Evicted', reason };
  }
  const { phase, reason } = pod.status ?? {};
  const containers = containersOf(pod);
  const ends = containers.flatMap(({ state }) => state?.terminated ?? []).filter(({ exitCode }) => exitCode !== 0);
  if (phase !== 'Failed' && ends.length === 0) {
    const waits = containers.map(({ state }) => state?.waiting?.reason ?? '').find((each) => OF_WAITING.has(each));
    return waits === undefined ? undefined : { class: OF_WAITING.get(waits)!, reason: waits };
  }
  if (reason === 'NodeLost') return { class: 'NodeLost', reason };
  const end = endOf(pod);
  if (end !== 'ProgramFailed')
    return { class: end === 'NodeRefused' ? 'Refused' : 'Evicted', ...(reason && { reason }) };
  if (reason === 'Evicted') return { class: 'Evicted', reason };
  const isOutOfMemory = ends.some((each) => each.reason === 'OOMKilled');
  return isOutOfMemory ? { class: 'OutOfMemory', reason: 'OOMKilled' } : { class: 'Program' };
}
