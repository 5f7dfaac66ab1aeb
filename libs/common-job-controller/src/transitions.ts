/**
 * What a change of status is worth telling: an event for people, a count for dashboards. Both follow from the two
 * statuses alone, so each transition is told once, by the pass that writes it.
 */
import { INVALID_SPEC, type JobStatus } from '@muster/job-api';
import { hasBecome } from './job-status.ts';
import type { JobCounter, PlannedEvent } from './plan.ts';

const EVENT_TYPES = { Running: 'Normal', Restarting: 'Warning', Succeeded: 'Normal', Failed: 'Warning' } as const;

const COUNTERS = { Created: 'created', Succeeded: 'successful', Failed: 'failed' } as const;

export function transitionEvents(before: JobStatus, after: JobStatus): PlannedEvent[] {
  return keysOf(EVENT_TYPES)
    .filter((type) => hasBecome(before, after, type))
    .map((type) => {
      const condition = after.conditions?.find((each) => each.type === type);
      const reason = condition?.reason ?? type;
      const action = reason === INVALID_SPEC ? 'Validate' : 'UpdateStatus';
      return { type: EVENT_TYPES[type], reason, note: condition?.message ?? '', action };
    });
}

export function transitionCounters(before: JobStatus, after: JobStatus): JobCounter[] {
  const reached = keysOf(COUNTERS).filter((type) => hasBecome(before, after, type));
  const restarts = Math.max(0, (after.restartCount ?? 0) - (before.restartCount ?? 0));
  return [...reached.map((type) => COUNTERS[type]), ...new Array<JobCounter>(restarts).fill('restarted')];
}

function keysOf<T extends object>(table: T): (keyof T)[] {
  return Object.keys(table) as (keyof T)[];
}
