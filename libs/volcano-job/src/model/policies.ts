/**
 * What follows from an event of a pod or a task: the first policy that speaks of it, the task's before the Job's. A framework
 * completes the Job with its deciding task where no policy says what follows from its end.
 */
import { eventsOf, type VolcanoAction, type VolcanoEvent, type VolcanoPolicy } from '@muster/job-api';
import type { VolcanoTask } from './volcano-tasks.ts';

/** Reasons of the condition Failed, by the action that has ended the Job. */
export const ENDED_BY = { TerminateJob: 'JobTerminated', AbortJob: 'JobAborted' } as const;

export interface Policies {
  readonly ofJob: readonly VolcanoPolicy[];
  /** The task with which the framework completes the Job. */
  readonly deciding: string | undefined;
}

interface Happening {
  readonly event: VolcanoEvent;
  /** Of a pod that has failed: that of its first container. */
  readonly exitCode?: number | undefined;
}

/** Undefined: nothing follows. */
export function actionUpon(
  { ofJob, deciding }: Policies,
  { name, spec }: Pick<VolcanoTask, 'name' | 'spec'>,
  { event, exitCode }: Happening,
): VolcanoAction | undefined {
  const matches = (policy: VolcanoPolicy) => {
    const events = eventsOf(policy);
    if (events.includes(event) || events.includes('*')) return true;
    return policy.exitCode !== undefined && policy.exitCode === exitCode;
  };
  const policy = [...(spec.policies ?? []), ...ofJob].find(matches);
  if (policy !== undefined) return policy.action;
  return event === 'TaskCompleted' && name === deciding ? 'CompleteJob' : undefined;
}
