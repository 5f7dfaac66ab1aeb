import type { Pod } from '@muster/job-api';
import { endedMs } from './pod-times.ts';

/** A replica that the job should have now. */
export interface TimedReplica {
  readonly state: 'missing' | 'pending' | 'running' | 'succeeded' | 'failed' | 'terminating';
  readonly pod?: Pod;
  /** Its container `containerName` does the work. */
  readonly role: { readonly containerName: string };
}

export function hasRun({ state }: TimedReplica): boolean {
  return state === 'running' || state === 'succeeded';
}

/** Whether its pod ended or is being ended, so that it does not run now. */
export function hasFailed({ state, pod, role }: TimedReplica): boolean {
  if (state === 'failed' || state === 'terminating') return true;
  return state === 'pending' && pod !== undefined && endedMs(pod, role.containerName) !== undefined;
}
