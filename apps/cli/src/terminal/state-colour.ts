/** A job's state as it is shown: in colour on a terminal that wants it (`NO_COLOR` is obeyed), `-` where there is none. */
import type { styleText } from 'node:util';
import type { JobState } from '../jobs/job-view.ts';
import { styled } from './output.ts';

type Colour = Parameters<typeof styleText>[0];

const COLOURS: Readonly<Record<JobState, Colour>> = {
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
