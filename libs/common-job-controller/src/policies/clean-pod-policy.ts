/**
 * Decides which pods of a finished job are deleted. Without a policy, which is not the same as None, only pods that
 * would never end on their own are stopped: those of such roles, and those that only a sidecar keeps running. All other
 * pods are kept, with their logs.
 */
import type { RunPolicy } from '@muster/job-api';
import { haveContainersEnded } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';

type CleanPodPolicy = RunPolicy['cleanPodPolicy'];

/**
 * True if the replica's pod is deleted after the end of the job. If a limit ended the job, no policy keeps running
 * pods, as in a Kubernetes Job.
 */
export function isCleanedUp(
  policy: CleanPodPolicy,
  { state, role, pod }: Pick<ReplicaPod, 'state' | 'role' | 'pod'>,
  wasEndedByLimit: boolean,
): boolean {
  if (pod === undefined || pod.metadata?.deletionTimestamp !== undefined) return false;
  const isActive = pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
  const isDone = state === 'succeeded' || state === 'failed';
  // Its phase is about to change. If the pod were deleted now, its log would be lost.
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

/** True if the policy leaves no running pods behind the job's Services. */
export function areServicesCleanedUp(policy: CleanPodPolicy): boolean {
  return policy === 'All' || policy === 'Running';
}
