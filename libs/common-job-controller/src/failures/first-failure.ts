/**
 * When one process of a job is gone, others fail, some before the first is reported: a launcher may notice the death of its process seconds
 * after a peer on another node notices the reset connection. So pods that report a lost peer rank after others.
 */
import { type JobFailure, momentOf, type Pod } from '@muster/job-api';
import { badEndOf, endedAt } from '../pods/container-end.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { namesLostPeer, namesUnreachedPeer, peerLossOf, type LastOutput } from '@muster/program-output';
import { podFailure } from './pod-failure.ts';

/** Ended by SIGTERM: by someone else, usually the launcher after it has lost a peer. */
const SIGTERM_EXIT_CODE = 143;

/** Failures further apart are separate incidents. */
export const INCIDENT_MS = 60_000;

export function firstFailed(pods: readonly Pod[]): Pod | undefined {
  const earliest = earliestOf(pods);
  if (earliest === undefined || !failedWithPeer(earliest)) return earliest;
  const end = momentOf(endedAt(earliest)) ?? 0;
  const others = pods.filter((pod) => !failedWithPeer(pod) && (momentOf(endedAt(pod)) ?? 0) - end <= INCIDENT_MS);
  return earliestOf(others) ?? earliest;
}

/** The first of the list if none has a pod. */
export function firstFailedReplica(replicas: readonly ReplicaPod[]): ReplicaPod | undefined {
  const first = firstFailed(replicas.flatMap(({ pod }) => pod ?? []));
  return first === undefined ? replicas[0] : replicas.find(({ pod }) => pod === first);
}

export function lostPeer(end: LastOutput): boolean {
  return namesLostPeer(end.message ?? '') && namesLostPeer(peerLossOf(end));
}

/** Whether this end is probably caused by another failure: within the same minute, it ranks after those that are not. */
export function isConsequence(end: Pick<Partial<JobFailure>, 'class' | 'exitCode' | 'message'>): boolean {
  if (end.exitCode === SIGTERM_EXIT_CODE || end.class === 'Cascade') return true;
  const { message = '' } = end;
  const namesPeer = (text: string) => namesLostPeer(text) || namesUnreachedPeer(text);
  return namesPeer(message) && namesPeer(peerLossOf(end));
}

export function failedWithPeer(pod: Pod): boolean {
  const { class: kind = 'Program' } = podFailure(pod) ?? {};
  if (kind !== 'Program') return false;
  const ends = (pod.status?.containerStatuses ?? []).flatMap((container) => badEndOf(pod, container) ?? []);
  return ends.length > 0 && ends.every(isConsequence);
}

/** Kubelets report whole seconds. Within one second, the first of the list counts. */
function earliestOf(pods: readonly Pod[]): Pod | undefined {
  return pods.reduce<Pod | undefined>(
    (first, pod) => (first === undefined || endedAt(pod) < endedAt(first) ? pod : first),
    undefined,
  );
}
