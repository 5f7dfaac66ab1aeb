/**
 * Which of several pods failed first. When one of a job's processes is gone, the others fall with it, and some do so before the
 * first is reported: a launcher in its pod may notice seconds later that a process of its own has died than a peer on another
 * node that its connection was reset. So whoever says that it fell with a peer comes after whoever does not.
 */
import type { JobFailure, Pod } from '@muster/job-api';
import { badEndOf, endedAt } from '../pods/container-end.ts';
import { momentOf } from '../model/moment-of.ts';
import { peerLossOf, type Said } from '../program-output/error-message.ts';
import { namesLostPeer, namesUnreachedPeer } from '../program-output/peer-loss.ts';
import { podFailure } from './pod-failure.ts';

/** Ended by SIGTERM: somebody else did that, mostly the launcher that has lost a peer. */
const SIGTERM_EXIT_CODE = 143;

/** What lies further apart is not one incident. */
export const INCIDENT_MS = 60_000;

/** The pod among `pods` that failed first; undefined of none. */
export function firstFailed(pods: readonly Pod[]): Pod | undefined {
  const earliest = earliestOf(pods);
  if (earliest === undefined || !fellWithPeer(earliest)) return earliest;
  const end = momentOf(endedAt(earliest)) ?? 0;
  const others = pods.filter((pod) => !fellWithPeer(pod) && (momentOf(endedAt(pod)) ?? 0) - end <= INCIDENT_MS);
  return earliestOf(others) ?? earliest;
}

/** Whether a program that ended so says that it lost a peer. */
export function lostPeer(end: Said): boolean {
  return namesLostPeer(end.message ?? '') && namesLostPeer(peerLossOf(end));
}

/** Whether somebody who ended so comes after those of the same minute who did not: it mostly was done to it. */
export function isFollower(
  end: Pick<JobFailure, 'exitCode' | 'message'> & Partial<Pick<JobFailure, 'class'>>,
): boolean {
  if (end.exitCode === SIGTERM_EXIT_CODE || end.class === 'Cascade') return true;
  const { message = '' } = end;
  const namesPeer = (text: string) => namesLostPeer(text) || namesUnreachedPeer(text);
  return namesPeer(message) && namesPeer(peerLossOf(end));
}

/** Whether the pod's program ended because a peer of it did, as far as its exit code and its last words tell. */
export function fellWithPeer(pod: Pod): boolean {
  const { class: kind = 'Program' } = podFailure(pod) ?? {};
  if (kind !== 'Program') return false;
  const ends = (pod.status?.containerStatuses ?? []).flatMap((container) => badEndOf(pod, container) ?? []);
  return ends.length > 0 && ends.every(isFollower);
}

/** The first of the list where several ended within one second, which is all that kubelets tell. */
function earliestOf(pods: readonly Pod[]): Pod | undefined {
  return pods.reduce<Pod | undefined>(
    (first, pod) => (first === undefined || endedAt(pod) < endedAt(first) ? pod : first),
    undefined,
  );
}
