/**
 * A job that grows while it runs, by Kueue's workload slices: with its annotation it goes on as large as it is while a second Workload,
 * of the new size, waits for the quota that is lacking. When that is admitted it takes the place of the first.
 */
import type { KubeObject } from '@muster/job-api';
import { ageOf, finishOf, silenceOf, type StateAges } from '../model/state-ages.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { DesiredResource, OwnedResource } from '../model/owned-resources.ts';
import { earliest } from '../model/requeue.ts';
import { isAdmitted } from './admission.ts';
import {
  conditionOf,
  growsInSlices,
  holds,
  KUEUE_WORKLOADS,
  SLICE_ANNOTATIONS,
  type KueueWorkload,
} from './kueue-objects.ts';
import { fits, hasSize, isFor, workloadName, workloadObject, type Asked } from './queue-workload.ts';

export interface Slices {
  /** The one by which the job runs, or waits. */
  readonly current: OwnedResource | undefined;
  /** The one that is to take its place, and those whose place has been taken. */
  readonly others: readonly OwnedResource[];
}

export function slicesOf(own: readonly OwnedResource[]): Slices {
  const last = own.find(({ object }) => !own.some((other) => takesPlaceOf(other.object, object)));
  const before = last && own.find(({ object }) => takesPlaceOf(last.object, object));
  const current = before === undefined || isAdmitted(last?.object as KueueWorkload) ? last : before;
  return { current, others: own.filter((each) => each !== current) };
}

function takesPlaceOf({ metadata }: KubeObject, former: KubeObject): boolean {
  return metadata?.annotations?.[SLICE_ANNOTATIONS.replaces] === keyOf(former);
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}

/** Kueue ends the former, and admits the one that takes its place a moment later. */
const REPLACING_MS = 10_000;

/** For how long the job is left as it is yet, where Kueue is about to admit the one that takes the place of `current`. */
export function replacingMs(
  current: KueueWorkload,
  others: readonly OwnedResource[],
  ages: StateAges,
): number | undefined {
  if (!holds(current, 'Finished') || !others.some(({ object }) => takesPlaceOf(object, current))) return undefined;
  const leftMs = REPLACING_MS - ageOf(ages, finishOf(current));
  return leftMs > 0 ? leftMs : undefined;
}

/** For how long a Workload may wait without a reason from Kueue. */
const SILENT_MS = 10_000;

/**
 * For how long `waiting` is still left to Kueue, where Kueue says no reason why it waits. Kueue 0.15 loses a Workload whose predecessor
 * changes in the moment in which it is to take its place ("Failed to replace workload slice"), and takes it up again when it is made anew.
 */
function silentMs(waiting: KueueWorkload, ages: StateAges): number | undefined {
  return isSilent(waiting) ? Math.max(0, SILENT_MS - ageOf(ages, silenceOf(waiting))) : undefined;
}

function isSilent(workload: KueueWorkload): boolean {
  const quota = conditionOf(workload, 'QuotaReserved');
  return quota?.status === 'False' && (quota.message ?? '') === '';
}

/** What of the Workload is measured by the operator's clock. */
export function agingStatesOf(workload: KueueWorkload): string[] {
  return [
    ...(holds(workload, 'Finished') ? [finishOf(workload)] : []),
    ...(isSilent(workload) ? [silenceOf(workload)] : []),
  ];
}

/** When to look at those that wait again, where Kueue may have lost one. */
export function recheckSlicesMs(others: readonly OwnedResource[], ages: StateAges): number | undefined {
  return earliest(...others.map(({ object }) => silentMs(object as KueueWorkload, ages)).filter((ms) => ms !== 0));
}

/** Whether the job, which runs by `current`, goes on by it while a larger one waits. */
export function mayGrow(job: TrainingJob, current: KueueWorkload, asked: Asked): boolean {
  return growsInSlices(job) && isAdmitted(current) && isFor(current, asked) && !fits(current, asked);
}

/** The one that is to take the place of `current`, for a job that has become larger. */
export function nextSlice(
  job: TrainingJob,
  asked: Asked,
  current: KueueWorkload,
  ages: StateAges,
): DesiredResource<KueueWorkload> {
  const name = nextName(workloadName(job), current);
  return {
    resource: KUEUE_WORKLOADS,
    object: workloadObject(job, asked, name, { [SLICE_ANNOTATIONS.replaces]: keyOf(current) }),
    change: (existing) =>
      isFor(existing, asked) && hasSize(existing, asked) && silentMs(existing, ages) !== 0 ? undefined : 'Recreate',
  };
}

/** `<base>`, `<base>-2`, `<base>-3` and so on. */
function nextName(base: string, { metadata }: KueueWorkload): string {
  const number = Number(metadata?.name?.slice(base.length + 1)) || 1;
  return `${base}-${number + 1}`;
}
