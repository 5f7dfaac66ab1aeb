/** Finds the policy for an event: the first that matches, a task's policies before the Job's. */
import { eventsOf, type VolcanoAction, type VolcanoEvent, type VolcanoPolicy } from '@muster/job-api';
import type { VolcanoTask } from './volcano-tasks.ts';

export const ENDED_BY = { TerminateJob: 'JobTerminated', AbortJob: 'JobAborted' } as const;

/** Actions for `TaskCompleted`: all pods of the task have ended, so only the Job's end can follow. */
export const ENDING_ACTIONS: readonly VolcanoAction[] = ['CompleteJob', 'TerminateJob', 'AbortJob'];

export interface Policies {
  readonly ofJob: readonly VolcanoPolicy[];
  /** The task whose completion completes the Job. */
  readonly deciding: string | undefined;
}

export interface PolicyEvent {
  readonly event: VolcanoEvent;
  /** Exit code of the first container of a failed pod. */
  readonly exitCode?: number | undefined;
  readonly forMs: number;
}

/** `inMs` is 0 if the action is due now. */
export interface DueAction {
  readonly action: VolcanoAction;
  readonly inMs: number;
}

export function actionUpon(
  { ofJob, deciding }: Policies,
  { name, spec }: Pick<VolcanoTask, 'name' | 'spec'>,
  { event, exitCode, forMs }: PolicyEvent,
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
  // A policy that restarts upon any event would restart a completed task until `maxRetry` fails the Job.
  if (event === 'TaskCompleted' && !ENDING_ACTIONS.includes(policy.action)) return false;
  const events = eventsOf(policy);
  return events.includes(event) || events.includes('*');
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Go's format: `1h30m`. The schema rejects other formats. */
function durationMs(text: string): number {
  const parts = [...text.matchAll(/([0-9]+(?:[.][0-9]+)?)(ms|s|m|h)/g)];
  return parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNITS[unit] ?? 0), 0);
}
