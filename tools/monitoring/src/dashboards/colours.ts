/** Colours that mean the same on every dashboard. */
import type { JOB_STATES, WAITING_REASONS } from '@muster/metrics';

export const STATE_COLOURS: Readonly<Record<keyof typeof JOB_STATES, string>> = {
  New: 'light-blue',
  Created: 'blue',
  Running: 'green',
  Failing: 'red',
  Restarting: 'orange',
  Suspended: 'purple',
  Succeeded: 'dark-green',
  Failed: 'dark-red',
};

export const PHASE_COLOURS = {
  Pending: 'blue',
  Running: 'green',
  Succeeded: 'dark-green',
  Failed: 'red',
  Unknown: 'orange',
};

/** Red is what somebody has to mend, orange what the cluster has no room for, purple what somebody has decided, blue what passes. */
export const WAITING_COLOURS: Readonly<Record<keyof typeof WAITING_REASONS, string>> = {
  Suspended: 'purple',
  Queued: 'semi-dark-orange',
  Evicted: 'semi-dark-purple',
  PlanningFailed: 'dark-red',
  Reference: 'light-red',
  Refused: 'red',
  NameTaken: 'semi-dark-red',
  PodGroup: 'light-orange',
  Unschedulable: 'orange',
  SchedulingGated: 'light-purple',
  Image: 'super-light-red',
  Container: 'dark-orange',
  CrashLoop: 'super-light-orange',
  Deletion: 'light-blue',
  Backoff: 'yellow',
  StartOrder: 'semi-dark-blue',
  Starting: 'blue',
};
