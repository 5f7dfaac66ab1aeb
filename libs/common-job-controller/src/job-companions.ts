/** Which companions a job has, and which kinds of them an operator has to watch: the framework's own, the autoscaler, the pod group. */
import { HORIZONTAL_POD_AUTOSCALERS, type HorizontalPodAutoscaler, type KubeObject } from '@muster/job-api';
import type { FrameworkAdapter, TrainingJob } from './adapter.ts';
import { autoscalerChange } from './autoscaling/autoscaler-change.ts';
import { desiredAutoscaler } from './autoscaling/desired-autoscaler.ts';
import type { Companion, CompanionKind, DesiredCompanion } from './companions.ts';
import type { GangScheduler } from './gang/gang-scheduler.ts';
import { gangSize } from './gang/gang-size.ts';
import { jobLabels } from './labels.ts';
import { trimmedMeta } from './trim.ts';

const AUTOSCALERS: CompanionKind<HorizontalPodAutoscaler> = {
  resource: HORIZONTAL_POD_AUTOSCALERS,
  endsWithRun: true,
  trim: ({ metadata, spec }) => ({ ...trimmedMeta(metadata), ...(spec && { spec }) }),
};

function podGroups({ resource }: GangScheduler): CompanionKind {
  // A group's spec and status are all there is to it.
  return { resource, endsWithRun: true, trim: (group) => ({ ...group, ...trimmedMeta(group.metadata) }) };
}

export function companionKinds(adapter: FrameworkAdapter, gang: GangScheduler | undefined): CompanionKind[] {
  return [
    ...(adapter.companionKinds ?? []),
    ...(adapter.autoscaling === undefined ? [] : [AUTOSCALERS]),
    ...(gang === undefined ? [] : [podGroups(gang)]),
  ];
}

/** What a job that may run should have. */
export function desiredCompanions(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  gang: GangScheduler | undefined,
): DesiredCompanion[] {
  const autoscaling = adapter.autoscaling?.(job);
  return [
    ...(adapter.companions?.(job) ?? []),
    ...(autoscaling === undefined ? [] : [autoscaler(desiredAutoscaler(job, jobLabels(adapter, job), autoscaling))]),
    ...(gang === undefined ? [] : [podGroup(gang, gang.group(job, gangSize(adapter, job)))]),
  ];
}

function autoscaler(object: HorizontalPodAutoscaler): DesiredCompanion {
  return {
    resource: HORIZONTAL_POD_AUTOSCALERS,
    object,
    change: (existing) => autoscalerChange(existing, object),
  };
}

function podGroup(gang: GangScheduler, object: KubeObject): DesiredCompanion {
  return { resource: gang.resource, object, change: (existing) => gang.change(existing, object) };
}

/** The job's group among its companions. */
export function podGroupOf({ resource }: GangScheduler, own: readonly Companion[]): KubeObject | undefined {
  return own.find(({ kind }) => kind.resource === resource)?.object;
}
