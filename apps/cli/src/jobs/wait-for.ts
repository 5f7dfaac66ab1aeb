/** The states for which `wait` can wait, and when each is reached or missed. */
import type { JobState } from './job-view.ts';

export const WAITED_FOR = ['succeeded', 'running', 'finished', 'failed', 'suspended'] as const;

export type WaitedFor = (typeof WAITED_FOR)[number];

export type GoalState = 'reached' | 'missed' | 'waiting';

interface Goal {
  readonly reachedIn: readonly JobState[];
  /** The job can no longer reach the goal. */
  readonly missedIn: readonly JobState[];
}

/** A succeeded job has run. */
const GOALS: Readonly<Record<WaitedFor, Goal>> = {
  succeeded: { reachedIn: ['Succeeded'], missedIn: ['Failed'] },
  running: { reachedIn: ['Running', 'Succeeded'], missedIn: ['Failed'] },
  finished: { reachedIn: ['Succeeded', 'Failed'], missedIn: [] },
  failed: { reachedIn: ['Failed'], missedIn: ['Succeeded'] },
  suspended: { reachedIn: ['Suspended'], missedIn: ['Succeeded', 'Failed'] },
};

export function goalStateOf(goal: WaitedFor, state: JobState | undefined): GoalState {
  if (state === undefined) return 'waiting';
  if (GOALS[goal].reachedIn.includes(state)) return 'reached';
  return GOALS[goal].missedIn.includes(state) ? 'missed' : 'waiting';
}
