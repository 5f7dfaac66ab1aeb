import type { Pod } from '@muster/job-api';
import { downSinceMs } from './pod-times.ts';

/** A replica that the job should have now. */
export interface TimedReplica {
  readonly state: 'missing' | 'pending' | 'running' | 'succeeded' | 'failed' | 'terminating';
  readonly pod?: Pod;
  /** Its container `containerName` does the work. */
  readonly role: { readonly containerName: string };
}

/** A pod counts as running for Kubernetes also while its container waits to be restarted. */
export function hasRun(replica: TimedReplica): boolean {
  return replica.state === 'succeeded' || (replica.state === 'running' && !isDown(replica));
}

/** Whether its pod or its container ended or is being ended, so that it does not run now. */
export function hasFailed(replica: TimedReplica): boolean {
  if (replica.state === 'failed' || replica.state === 'terminating') return true;
  return replica.state !== 'succeeded' && isDown(replica);
}

function isDown({ pod, role }: TimedReplica): boolean {
  return pod !== undefined && downSinceMs(pod, role.containerName) !== undefined;
}
