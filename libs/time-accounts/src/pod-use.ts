/** What pods hold while they have a node: themselves, and extended resources such as GPUs. */
import { MOST_RESOURCES, parseQuantity, type Pod, type PodTemplateSpec } from '@muster/job-api';
import { acceptedMs, createdMs, isOnNode, podEndMs } from './pod-times.ts';
import type { Period } from './timeline.ts';

export interface PodUse {
  readonly podMs: number;
  /** Milliseconds times the requested number, by resource. */
  readonly resourceMs: ReadonlyMap<string, number>;
}

const NANOS = 1e9;

/** How long a pod had its node. */
export interface Hold {
  readonly fromMs: number;
  /** Infinity while it has the node. */
  readonly toMs: number;
  readonly requests: ReadonlyMap<string, number>;
}

/**
 * @param pods of a job, also those that are gone
 * @param templateOf the template of which a pod was made; undefined if it is not known any more
 */
export function holdsOf(pods: readonly Pod[], templateOf: (pod: Pod) => PodTemplateSpec | undefined): Hold[] {
  const requests = new Map<PodTemplateSpec | undefined, ReadonlyMap<string, number>>();
  return pods.filter(isOnNode).map((pod) => {
    const template = templateOf(pod);
    const known = requests.get(template) ?? requestsOf(template);
    requests.set(template, known);
    return {
      fromMs: acceptedMs(pod) ?? createdMs(pod) ?? Infinity,
      toMs: podEndMs(pod) ?? Infinity,
      requests: known,
    };
  });
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
function requestsOf({ spec }: PodTemplateSpec = {}): ReadonlyMap<string, number> {
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
