/**
 * Decides which pods of a finished job are deleted. An unset policy is not None: pods that would never end on their own, by their role or
 * because of a sidecar, are stopped. All others are kept, with their logs.
 */
import type { RunPolicy } from '@muster/job-api';
import { haveContainersEnded } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';

type CleanPodPolicy = RunPolicy['cleanPodPolicy'];

/** If a limit ended the job, no policy keeps running pods, as in a Kubernetes Job. */
export function isCleanedUp(
  policy: CleanPodPolicy,
  { state, role, pod }: Pick<ReplicaPod, 'state' | 'role' | 'pod'>,
  wasEndedByLimit: boolean,
): boolean {
  if (pod === undefined || pod.metadata?.deletionTimestamp !== undefined) return false;
  const isActive = pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
  const isDone = state === 'succeeded' || state === 'failed';
  // Its phase is about to change. Deleting it now would lose its log.
  if (isDone && isActive && haveContainersEnded(pod)) return policy === 'All';
  if (isActive && wasEndedByLimit) return true;
  switch (policy) {
    case 'All':
      return true;
    case 'Running':
      return isActive;
    case 'None':
      return false;
    default:
      return isActive && (!role.endsByItself || isDone);
  }
}

export function areServicesCleanedUp(policy: CleanPodPolicy): boolean {
  return policy === 'All' || policy === 'Running';
}
