/** Whether a job's pods may be made, and what its users are told while the gang scheduler says no. */
import type { EventReason, KubeObject } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import { ownResources, type OwnedResource } from '../owned-resources/owned-resources.ts';
import type { GangScheduler } from './gang-scheduler.ts';
import { otherSchedulers } from './other-schedulers.ts';
import { podGroupOf } from '../owned-resources/job-owned-resources.ts';
import type { PlannedEvent } from '../reconcile/plan.ts';

export interface GangStart {
  readonly mayMakePods: boolean;
  readonly events: readonly PlannedEvent[];
}

export function gangStart(
  gang: GangScheduler | undefined,
  job: TrainingJob,
  ownedResources: readonly OwnedResource[],
  told: ReadonlySet<string>,
): GangStart {
  if (gang === undefined) return { mayMakePods: true, events: [] };
  const group = podGroupOf(gang, ownResources(job, ownedResources));
  const waitsFor = gang.waitsFor(group);
  const events = [
    ...otherSchedulerEvents(gang, job),
    ...(group === undefined ? [] : groupEvents(gang, group, waitsFor)),
  ];
  return { mayMakePods: waitsFor === undefined, events: events.filter(({ once }) => !told.has(once)) };
}

type OnceEvent = PlannedEvent & { readonly once: string };

function groupEvents(gang: GangScheduler, group: KubeObject, waitsFor: string | undefined): OnceEvent[] {
  if (waitsFor !== undefined) {
    const reason: EventReason = 'WaitingForPodGroup';
    const note = `No pods are made yet: ${waitsFor}`;
    return [{ type: 'Normal', reason, note, action: 'Schedule', once: subjectOf(waitsFor) }];
  }
  const words = gang.unschedulable(group);
  if (words === undefined) return [];
  const reason: EventReason = 'Unschedulable';
  return [{ type: 'Warning', reason, note: words, action: 'Schedule', once: subjectOf(words) }];
}

/** What is said, without the numbers: schedulers count pods and nodes anew in each round, which is no news. */
function subjectOf(words: string): string {
  return words.replaceAll(/\d+/g, '#');
}

function otherSchedulerEvents(gang: GangScheduler, job: TrainingJob): OnceEvent[] {
  const words = otherSchedulers(gang, job);
  if (words === undefined) return [];
  const reason: EventReason = 'SetPodTemplateSchedulerName';
  return [{ type: 'Warning', reason, note: words, action: 'Schedule', once: words }];
}
