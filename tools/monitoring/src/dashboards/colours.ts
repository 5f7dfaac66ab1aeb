/** Colours that mean the same on every dashboard. */
import type { JOB_STATES } from '@muster/metrics';

export const STATE_COLOURS: Readonly<Record<keyof typeof JOB_STATES, string>> = {
  New: 'light-blue',
  Created: 'blue',
  Running: 'green',
  Restarting: 'orange',
  Suspended: 'purple',
  Succeeded: 'dark-green',
  Failed: 'red',
};

export const PHASE_COLOURS = {
  Pending: 'blue',
  Running: 'green',
  Succeeded: 'dark-green',
  Failed: 'red',
  Unknown: 'orange',
};
