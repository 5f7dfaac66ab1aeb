/** Derives events and counts from two statuses only, so each transition is reported once, by the run that writes it. */
import { isDeepStrictEqual } from 'node:util';
import {
  type EventReason,
  type FailureClass,
  INVALID_SPEC,
  isFinished,
  type JobCondition,
  type JobStatus,
} from '@muster/job-api';
import { isStartProblem } from '../failures/job-failure.ts';
import { hasBecome } from './job-status.ts';
import { unknownBefore } from '../progress/progress-known.ts';
import type { StatusDecision } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { JobCounter, StatusCounts } from '../model/status-write.ts';

const EVENT_TYPES = {
  Running: 'Normal',
  Restarting: 'Warning',
  Suspended: 'Normal',
  Succeeded: 'Normal',
  Failed: 'Warning',
} as const;

const COUNTERS = { Created: 'created', Succeeded: 'successful', Failed: 'failed' } as const;

export function statusCounts({ before, after, restartCauses = [], latencies = [] }: StatusDecision): StatusCounts {
  const failures = newFailures(before, after);
  const counters = transitionCounters(before, after);
  return { counters, restartCauses, latencies, ...(failures.length > 0 && { failures }) };
}

export function statusEvents({ before, after }: StatusDecision): PlannedEvent[] {
  const reached = keysOf(EVENT_TYPES)
    .filter((type) => hasBecome(before, after, type))
    .flatMap((type) => eventsOf(after, type, EVENT_TYPES[type]));
  const events = [
    ...reached,
    ...progressWarning('NoProgress', before.progress?.message, after.progress?.message),
    ...progressWarning('ProgressUnknown', unknownBefore(before), unknownBefore(after)),
  ];
  const isResumed = hasBecome(after, before, 'Suspended') && !isFinished(after);
  return isResumed ? [...eventsOf(after, 'Suspended', 'Normal'), ...events] : events;
}

function progressWarning(reason: EventReason, before: string | undefined, note: string | undefined): PlannedEvent[] {
  return note === undefined || before !== undefined
    ? []
    : [{ type: 'Warning', reason, note, action: 'FollowProgress' }];
}

function eventsOf(after: JobStatus, type: JobCondition['type'], eventType: PlannedEvent['type']): PlannedEvent[] {
  const condition = after.conditions?.find((each) => each.type === type);
  if (condition === undefined) return [];
  const reason = condition.reason ?? type;
  const action = reason === INVALID_SPEC ? 'Validate' : 'UpdateStatus';
  return [{ type: eventType, reason, note: condition.message ?? '', action }];
}

function transitionCounters(before: JobStatus, after: JobStatus): JobCounter[] {
  const { startTime, observedGeneration, completionTime } = before;
  // Conditions may have been removed, so other fields show what was counted.
  const counted = { Created: startTime ?? observedGeneration, Succeeded: completionTime, Failed: completionTime };
  const reached = keysOf(COUNTERS).filter((type) => hasBecome(before, after, type) && counted[type] === undefined);
  const restarts = Math.max(0, restartsIn(after) - restartsIn(before));
  return [...reached.map((type) => COUNTERS[type]), ...new Array<JobCounter>(restarts).fill('restarted')];
}

/** One failure per incident. A cause found later is not a new failure. */
function newFailures(
  { firstFailure: before }: JobStatus,
  { firstFailure: after, failures = [] }: JobStatus,
): FailureClass[] {
  if (after === undefined || isStartProblem(after)) return [];
  const isFirst = before === undefined || isStartProblem(before) || isDeepStrictEqual(failures.at(-1), before);
  return isFirst ? [after.class] : [];
}

function restartsIn({ restartCount = 0, disruptionCount = 0 }: JobStatus): number {
  return restartCount + disruptionCount;
}

function keysOf<T extends object>(table: T): (keyof T)[] {
  return Object.keys(table) as (keyof T)[];
}
