/**
 * What follows from an event of a pod or a task: the first policy that speaks of it, the task's before the Job's. A framework
 * completes the Job with its deciding task where no policy says what follows from its end.
 */
import { eventsOf, type VolcanoAction, type VolcanoEvent, type VolcanoPolicy } from '@muster/job-api';
import type { VolcanoTask } from './volcano-tasks.ts';

/** Reasons of the condition Failed, by the action that has ended the Job. */
export const ENDED_BY = { TerminateJob: 'JobTerminated', AbortJob: 'JobAborted' } as const;

/** What can follow from the completion of a task: its pods have ended, so only the Job's end. */
export const ENDING_ACTIONS: readonly VolcanoAction[] = ['CompleteJob', 'TerminateJob', 'AbortJob'];

export interface Policies {
  readonly ofJob: readonly VolcanoPolicy[];
  /** The task with which the framework completes the Job. */
  readonly deciding: string | undefined;
}

export interface Happening {
  readonly event: VolcanoEvent;
  /** Of a pod that has failed: that of its first container. */
  readonly exitCode?: number | undefined;
  /** For how long the operator has seen that. */
  readonly forMs: number;
}

/** What follows, and in how many milliseconds: 0 where its time has come. */
export interface DueAction {
  readonly action: VolcanoAction;
  readonly inMs: number;
}

/** Undefined: nothing follows. */
export function actionUpon(
  { ofJob, deciding }: Policies,
  { name, spec }: Pick<VolcanoTask, 'name' | 'spec'>,
  { event, exitCode, forMs }: Happening,
): DueAction | undefined {
  const matches = (policy: VolcanoPolicy) => {
    // Every pod is pending at first.
    if (event === 'PodPending' && policy.timeout === undefined) return false;
    return isUpon(event, policy) || (policy.exitCode !== undefined && policy.exitCode === exitCode);
  };
  const policy = [...(spec.policies ?? []), ...ofJob].find(matches);
  if (policy !== undefined) {
    return { action: policy.action, inMs: Math.max(0, durationMs(policy.timeout ?? '') - forMs) };
  }
  return event === 'TaskCompleted' && name === deciding ? { action: 'CompleteJob', inMs: 0 } : undefined;
}

export function hasTimeout({ timeout }: VolcanoPolicy): boolean {
  return timeout !== undefined;
}

export function hasTimeoutUpon(event: VolcanoEvent, policy: VolcanoPolicy): boolean {
  return hasTimeout(policy) && isUpon(event, policy);
}

function isUpon(event: VolcanoEvent, policy: VolcanoPolicy): boolean {
  // A policy that restarts upon any event would restart what has just succeeded, until `maxRetry` fails the Job.
  if (event === 'TaskCompleted' && !ENDING_ACTIONS.includes(policy.action)) return false;
  const events = eventsOf(policy);
  return events.includes(event) || events.includes('*');
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** As Go writes it: `1h30m`. The schema lets nothing else through. */
function durationMs(text: string): number {
  const parts = [...text.matchAll(/([0-9]+(?:[.][0-9]+)?)(ms|s|m|h)/g)];
  return parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNITS[unit] ?? 0), 0);
}
