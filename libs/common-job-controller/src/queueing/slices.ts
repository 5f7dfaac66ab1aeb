/** A growing job keeps its size while a second Workload, of the new size, waits for quota and then replaces the first. */
import type { KubeObject } from '@muster/job-api';
import { cacheKey } from '@muster/kube';
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
import { fits, hasSize, isFor, workloadName, workloadObject, type WorkloadRequest } from './queue-workload.ts';

export interface Slices {
  readonly current: OwnedResource | undefined;
  readonly others: readonly OwnedResource[];
}

export function slicesOf(own: readonly OwnedResource[]): Slices {
  const last = own.find(({ object }) => !own.some((other) => replaces(other.object, object)));
  const before = last && own.find(({ object }) => replaces(last.object, object));
  const current = before === undefined || isAdmitted(last?.object as KueueWorkload) ? last : before;
  return { current, others: own.filter((each) => each !== current) };
}

function replaces({ metadata }: KubeObject, former: KubeObject): boolean {
  return metadata?.annotations?.[SLICE_ANNOTATIONS.replaces] === cacheKey(former);
}

/** Kueue finishes the old Workload a moment before it admits the new one. */
const REPLACING_MS = 10_000;

/** How long to change nothing, because Kueue is about to admit the replacement of `current`. */
export function replacingMs(
  current: KueueWorkload,
  others: readonly OwnedResource[],
  ages: StateAges,
): number | undefined {
  if (!holds(current, 'Finished') || !others.some(({ object }) => replaces(object, current))) return undefined;
  const leftMs = REPLACING_MS - ageOf(ages, finishOf(current));
  return leftMs > 0 ? leftMs : undefined;
}

const SILENT_MS = 10_000;

/**
 * Kueue 0.15 loses a Workload whose predecessor changes at the moment of the replacement ("Failed to replace workload
 * slice"), but accepts a recreated one. So one that waits without a reason is recreated after this time.
 */
function silentMs(waiting: KueueWorkload, ages: StateAges): number | undefined {
  return isSilent(waiting) ? Math.max(0, SILENT_MS - ageOf(ages, silenceOf(waiting))) : undefined;
}

function isSilent(workload: KueueWorkload): boolean {
  const quota = conditionOf(workload, 'QuotaReserved');
  return quota?.status === 'False' && (quota.message ?? '') === '';
}

/** Their age is measured by the operator's clock. */
export function agingStatesOf(workload: KueueWorkload): string[] {
  return [
    ...(holds(workload, 'Finished') ? [finishOf(workload)] : []),
    ...(isSilent(workload) ? [silenceOf(workload)] : []),
  ];
}

export function recheckSlicesMs(others: readonly OwnedResource[], ages: StateAges): number | undefined {
  return earliest(...others.map(({ object }) => silentMs(object as KueueWorkload, ages)).filter((ms) => ms !== 0));
}

export function mayGrow(job: TrainingJob, current: KueueWorkload, requested: WorkloadRequest): boolean {
  return growsInSlices(job) && isAdmitted(current) && isFor(current, requested) && !fits(current, requested);
}

export function nextSlice(
  job: TrainingJob,
  requested: WorkloadRequest,
  current: KueueWorkload,
  ages: StateAges,
): DesiredResource<KueueWorkload> {
  const base = workloadName(job);
  const number = Number(current.metadata?.name?.slice(base.length + 1)) || 1;
  return {
    resource: KUEUE_WORKLOADS,
    object: workloadObject(job, requested, `${base}-${number + 1}`, {
      [SLICE_ANNOTATIONS.replaces]: cacheKey(current),
    }),
    change: (existing) =>
      isFor(existing, requested) && hasSize(existing, requested) && silentMs(existing, ages) !== 0
        ? undefined
        : 'Recreate',
  };
}
