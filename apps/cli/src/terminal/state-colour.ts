/** Formats a job's state, in colour on a terminal unless `NO_COLOR` is set; `-` without a state. */
import type { JobState } from '../jobs/job-view.ts';
import { styled, type Style } from './output.ts';

const COLOURS: Readonly<Record<JobState, Style>> = {
  Created: 'yellow',
  Running: 'green',
  Restarting: 'yellow',
  Suspended: 'magenta',
  Succeeded: 'green',
  Failed: 'red',
};

export function shownState(state: JobState | undefined): string {
  return state === undefined ? '-' : styled(COLOURS[state], state);
}

/** The text, in the colour of the state if `name` is one. */
export function inColourOf(name: string, text: string): string {
  const colour = (COLOURS as Readonly<Partial<Record<string, Style>>>)[name];
  return colour === undefined ? text : styled(colour, text);
}
