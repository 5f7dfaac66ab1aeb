/**
 * Which pods of a finished job go. Unset is not None: with it, pods that never end by themselves (of such roles, or
 * kept up by a sidecar alone) are stopped, since nobody else would; all other pods stay, with their logs.
 */
import type { RunPolicy } from '@muster/job-api';
import { haveContainersEnded } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';

type CleanPodPolicy = RunPolicy['cleanPodPolicy'];

/**
 * Whether the replica's pod is deleted now that the job has ended. When a limit has ended it, no policy keeps alive what
 * still runs, as with a Job of Kubernetes.
 */
export function isCleanedUp(
  policy: CleanPodPolicy,
  { state, role, pod }: Pick<ReplicaPod, 'state' | 'role' | 'pod'>,
  wasEndedByLimit: boolean,
): boolean {
  if (pod === undefined || pod.metadata?.deletionTimestamp !== undefined) return false;
  const isActive = pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
  const isDone = state === 'succeeded' || state === 'failed';
  // Its phase follows in a moment. Deleted now, it would take its log with it.
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

/** Whether the job's Services go: when the policy leaves nothing running that they could lead to. */
export function areServicesCleanedUp(policy: CleanPodPolicy): boolean {
  return policy === 'All' || policy === 'Running';
}
