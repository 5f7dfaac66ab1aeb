/** What can be waited for, and when it is reached or out of reach. */
import type { JobState } from './job-view.ts';

export const WAITED_FOR = ['succeeded', 'running', 'finished', 'failed', 'suspended'] as const;

export type WaitedFor = (typeof WAITED_FOR)[number];

export type Verdict = 'reached' | 'missed' | 'waiting';

interface Goal {
  readonly reachedIn: readonly JobState[];
  /** The job will not come to the goal any more. */
  readonly missedIn: readonly JobState[];
}

/** A job that has succeeded has run. */
const GOALS: Readonly<Record<WaitedFor, Goal>> = {
  succeeded: { reachedIn: ['Succeeded'], missedIn: ['Failed'] },
  running: { reachedIn: ['Running', 'Succeeded'], missedIn: ['Failed'] },
  finished: { reachedIn: ['Succeeded', 'Failed'], missedIn: [] },
  failed: { reachedIn: ['Failed'], missedIn: ['Succeeded'] },
  suspended: { reachedIn: ['Suspended'], missedIn: ['Succeeded', 'Failed'] },
};

export function verdictOn(goal: WaitedFor, state: JobState | undefined): Verdict {
  if (state === undefined) return 'waiting';
  if (GOALS[goal].reachedIn.includes(state)) return 'reached';
  return GOALS[goal].missedIn.includes(state) ? 'missed' : 'waiting';
}
