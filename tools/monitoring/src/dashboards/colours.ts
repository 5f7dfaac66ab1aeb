import type { ACCOUNTS, JOB_STATES, WAITING_REASONS } from '@muster/metrics';

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

const SHADES: Readonly<Record<string, string>> = { light: 'super-light', dark: 'semi-dark' };

/**
 * Colours of the series `<kind> <state>`. The second kind has another shade of the same colours, so that failing jobs of every kind are red.
 */
export function stateColoursOf(kinds: readonly string[]): Readonly<Record<string, string>> {
  const colours = kinds.flatMap((kind, index) =>
    Object.entries(STATE_COLOURS).map(([state, colour]) => [`${kind} ${state}`, index === 0 ? colour : shaded(colour)]),
  );
  return Object.fromEntries(colours) as Record<string, string>;
}

function shaded(colour: string): string {
  const [, shade, base = colour] = /^(light|dark)-(.+)$/.exec(colour) ?? [];
  return `${SHADES[shade ?? ''] ?? 'light'}-${base}`;
}

export const PHASE_COLOURS = {
  Pending: 'blue',
  Running: 'green',
  Succeeded: 'dark-green',
  Failed: 'red',
  Unknown: 'orange',
};

/** Red: needs a correction. Orange: no capacity. Purple: a decision of a user or controller. Blue: temporary. */
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
  NoReport: 'dark-yellow',
  SchedulingGated: 'light-purple',
  Image: 'super-light-red',
  Container: 'dark-orange',
  CrashLoop: 'super-light-orange',
  Deletion: 'light-blue',
  Backoff: 'yellow',
  StartOrder: 'semi-dark-blue',
  Starting: 'blue',
};

/** Green: productive. Purple: a decision. Blue: the job starts. Orange and red: lost. */
export const ACCOUNT_COLOURS: Readonly<Record<keyof typeof ACCOUNTS, string>> = {
  Suspended: 'purple',
  Queued: 'light-purple',
  Unscheduled: 'semi-dark-blue',
  Starting: 'blue',
  Running: 'green',
  Degraded: 'light-green',
  Stalled: 'dark-orange',
  Restarting: 'red',
  Recomputing: 'orange',
  Finishing: 'dark-green',
};
