/**
 * Which pods of a finished job go. Unset is not None: with it, roles that never end by themselves are stopped, since
 * nobody else would; all other pods stay, with their logs.
 */
import type { RunPolicy } from '@muster/job-api';
import type { ReplicaPod } from './replica-pods.ts';

type CleanPodPolicy = RunPolicy['cleanPodPolicy'];

/** Whether the replica's pod is deleted now that the job has ended. */
export function isCleanedUp(policy: CleanPodPolicy, { state, role }: Pick<ReplicaPod, 'state' | 'role'>): boolean {
  if (state === 'missing' || state === 'terminating') return false;
  const isActive = state === 'running' || state === 'pending';
  switch (policy) {
    case 'All':
      return true;
    case 'Running':
      return isActive;
    case 'None':
      return false;
    default:
      return isActive && !role.endsByItself;
  }
}

/** Whether the job's Services go: when the policy leaves nothing running that they could lead to. */
export function areServicesCleanedUp(policy: CleanPodPolicy): boolean {
  return policy === 'All' || policy === 'Running';
}
