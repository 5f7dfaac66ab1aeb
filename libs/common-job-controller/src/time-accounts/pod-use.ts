/** What pods hold while they have a node: themselves, and extended resources such as GPUs. */
import { MOST_RESOURCES, parseQuantity, type Pod, type PodTemplateSpec } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { Period } from './timeline.ts';
import { acceptedMs, createdMs, isOnNode, podEndMs } from './pod-times.ts';

export interface PodUse {
  readonly podMs: number;
  /** Milliseconds times the requested number, by resource. */
  readonly resourceMs: ReadonlyMap<string, number>;
}

const NANOS = 1e9;

export interface Hold {
  readonly fromMs: number;
  readonly toMs: number;
  readonly requests: ReadonlyMap<string, number>;
}

/** @param pods of the job, also those that are gone */
export function holdsOf(adapter: FrameworkAdapter, job: TrainingJob, pods: readonly Pod[], nowMs: number): Hold[] {
  const byRole = new Map(job.roles.map(({ name, template }) => [name.toLowerCase(), requestsOf(template)]));
  return pods.filter(isOnNode).map((pod) => ({
    fromMs: acceptedMs(pod) ?? createdMs(pod) ?? nowMs,
    toMs: podEndMs(pod) ?? nowMs,
    requests: byRole.get(adapter.labels.replicaOf(pod)?.role ?? '') ?? new Map<string, number>(),
  }));
}

export function useIn({ fromMs, toMs }: Pick<Period, 'fromMs' | 'toMs'>, holds: readonly Hold[]): PodUse {
  const resourceMs = new Map<string, number>();
  let podMs = 0;
  for (const hold of holds) {
    const heldMs = Math.min(toMs, hold.toMs) - Math.max(fromMs, hold.fromMs);
    if (heldMs <= 0) continue;
    podMs += heldMs;
    for (const [name, number] of hold.requests) resourceMs.set(name, (resourceMs.get(name) ?? 0) + heldMs * number);
  }
  return { podMs, resourceMs };
}

/** Extended resources have a domain, and are whole numbers. Their limits are their requests. */
function requestsOf({ spec }: PodTemplateSpec): ReadonlyMap<string, number> {
  const requests = new Map<string, number>();
  for (const { resources } of spec?.containers ?? []) {
    for (const [name, quantity] of Object.entries({ ...resources?.requests, ...resources?.limits })) {
      if (!name.includes('/')) continue;
      const number = Number(parseQuantity(quantity)?.nanos ?? 0n) / NANOS;
      requests.set(name, (requests.get(name) ?? 0) + number);
    }
  }
  return new Map([...requests].toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, MOST_RESOURCES));
}
