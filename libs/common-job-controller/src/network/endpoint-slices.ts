/**
 * Which addresses the names of a job stand for: the EndpointSlices of its Services. Those Services have no selector, so that nobody
 * but Muster writes them. Kubernetes' controllers write both Endpoints and EndpointSlices anew with each pod that gets an address,
 * becomes ready or ends, and again for each Service; in a burst of jobs that is most of what a cluster does for a job. Here a slice
 * is written when the last pod has its address, before that only where pods are late. Readiness matters as the Service says: one with
 * `publishNotReadyAddresses`, as the engine's own are, leads to pods that still start.
 *
 * Services with a selector, which another operator or mode `PerReplica` has made, are left to Kubernetes.
 */
import {
  ANNOTATIONS,
  ENDPOINT_SLICES,
  type Endpoint,
  type EndpointSlice,
  type Pod,
  type Service,
} from '@muster/job-api';
import { momentOf } from '../model/moment-of.ts';
import { mergePatch } from '../model/merge-patch.ts';
import type { DesiredResource, OwnedKind } from '../model/owned-resources.ts';
import { hasEnded } from '../pods/pod-end.ts';
import { isReady } from '../pods/replica-pods.ts';
import { isToCreate, type ReplicaPod } from '../model/replica-pod.ts';
import { trimmedMeta } from '../pods/trim.ts';
import { earliest } from '../model/requeue.ts';
import type { ServiceMembers } from './service-members.ts';

/** The API server takes a thousand; a change rewrites its slice as a whole. */
const MOST_ENDPOINTS = 250;
/** The pods of a job are made together, and mostly have their addresses together. */
const YOUNG_MS = 3000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 4000;
/** Pods of a job mostly end together, and no cluster gives an address to another at once. */
const ENDED_PAUSE_MS = 15_000;

/** Names the Service that an EndpointSlice belongs to. */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

export const ENDPOINT_SLICE_KIND: OwnedKind<EndpointSlice> = {
  resource: ENDPOINT_SLICES,
  // An address outlives its pod, and may be that of another then.
  endsWithRun: true,
  isAlwaysLabelled: true,
  // Pods may be made before anybody can look them up.
  isOptional: true,
  trim: ({ metadata, addressType, endpoints }) => {
    const written = metadata?.annotations?.[ANNOTATIONS.endpointsWritten];
    const { metadata: kept } = trimmedMeta(metadata);
    return {
      metadata: { ...kept, ...(written !== undefined && { annotations: { [ANNOTATIONS.endpointsWritten]: written } }) },
      addressType,
      // Kubernetes' own, of Services with a selector, have the labels of the Service, and null where there are none.
      endpoints: (endpoints ?? []).map(lookedUp),
    };
  },
};

export interface DesiredSlices {
  readonly slices: readonly DesiredResource<EndpointSlice>[];
  /** In how many milliseconds one that is held back is written. */
  readonly recheckAfterMs: number | undefined;
}

/** @param existing the job's slices, as the cache has them */
export function desiredEndpointSlices(
  services: readonly ServiceMembers[],
  existing: readonly EndpointSlice[],
  nowMs: number,
): DesiredSlices {
  const byName = new Map(existing.map((slice) => [slice.metadata?.name, slice]));
  const desired = services
    .flatMap((members) => slicesOf(members))
    .map((slice) => {
      const before = byName.get(slice.object.metadata?.name);
      return { ...slice, isNew: before === undefined, waitMs: waitMs(before, slice, nowMs) };
    });
  const written = desired.filter(({ isNew, waitMs }) => !isNew || waitMs === 0);
  return {
    slices: written.map((slice) => ({
      resource: ENDPOINT_SLICES,
      object: stamped(slice.object, nowMs),
      change: (before) =>
        slice.waitMs > 0 || !differs(before, slice.object)
          ? undefined
          : { patch: stamped(endpointsAlone(slice.object), nowMs) },
    })),
    recheckAfterMs: earliest(...desired.map((slice) => (slice.waitMs > 0 ? slice.waitMs : undefined))),
  };
}

interface Slice {
  readonly object: EndpointSlice;
  /** Whether every pod that is to have an address has one. */
  readonly isComplete: boolean;
  /** When the first of those that have one was made. */
  readonly sinceMs: number;
}

function slicesOf({ service, replicas, seeker }: ServiceMembers): Slice[] {
  const isLedTo = (pod: Pod) => hasAddress(pod) && (service.spec?.publishNotReadyAddresses === true || isReady(pod));
  const slices: Slice[] = [];
  for (let from = 0; from < replicas.length; from += MOST_ENDPOINTS) {
    const members = replicas.slice(from, from + MOST_ENDPOINTS);
    const isComplete = !members.some((member) => member.role.name !== seeker && isAwaited(member, isLedTo));
    const pods = members.flatMap(({ pod }) => (pod !== undefined && isLedTo(pod) ? pod : []));
    const endpoints = pods.map(endpointOf);
    const sinceMs = Math.min(...pods.map(madeMs));
    for (const [addressType, ofFamily] of Map.groupBy(endpoints, familyOf)) {
      const suffix = addressType === 'IPv4' ? '' : '-ipv6';
      const name = `${service.metadata?.name}-${from / MOST_ENDPOINTS}${suffix}`;
      slices.push({ object: sliceOf(service, name, addressType, ofFamily), isComplete, sinceMs });
    }
  }
  return slices;
}

/** A pod that no node takes may be long in coming, and the others are not to wait for it. */
function isAwaited(replica: ReplicaPod, isLedTo: (pod: Pod) => boolean): boolean {
  const { state, pod } = replica;
  if (isToCreate(replica)) return true;
  if (state !== 'pending' && state !== 'running') return false;
  return pod === undefined || !(isLedTo(pod) || hasEnded(pod) || isUnscheduled(pod));
}

function isUnscheduled({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: holds }) => type === 'PodScheduled' && holds === 'False') === true;
}

function madeMs({ metadata }: Pod): number {
  return momentOf(metadata?.creationTimestamp) ?? 0;
}

function hasAddress(pod: Pod): boolean {
  return pod.status?.podIP !== undefined && !hasEnded(pod);
}

/** The pod of a Job is called otherwise than its host. */
function endpointOf({ metadata, spec, status }: Pod): Endpoint {
  const { name = '', namespace = '' } = metadata ?? {};
  const { podIP = '' } = status ?? {};
  return { addresses: [podIP], hostname: spec?.hostname ?? name, targetRef: { kind: 'Pod', namespace, name } };
}

function familyOf({ addresses: [address = ''] }: Endpoint): 'IPv4' | 'IPv6' {
  return address.includes(':') ? 'IPv6' : 'IPv4';
}

function sliceOf(
  { metadata, spec }: Service,
  name: string,
  addressType: 'IPv4' | 'IPv6',
  endpoints: readonly Endpoint[],
): EndpointSlice {
  const ports = (spec?.ports ?? []).map(({ name: port = '', port: number, protocol = 'TCP' }) => ({
    name: port,
    port: number,
    protocol,
  }));
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name,
      labels: {
        [SERVICE_NAME_LABEL]: metadata?.name ?? '',
        'endpointslice.kubernetes.io/managed-by': 'muster',
        // Keeps kube-proxy from watching it.
        'service.kubernetes.io/headless': '',
      },
    },
    addressType,
    endpoints: [...endpoints],
    ...(ports.length > 0 && { ports }),
  };
}

/** For how long a slice is held back: not at all when all can be reached by it, else the longer the older it is. */
function waitMs(before: EndpointSlice | undefined, slice: Slice, nowMs: number): number {
  const { object, isComplete } = slice;
  if (before === undefined) return isComplete ? 0 : leftOf(YOUNG_MS, nowMs - slice.sinceMs);
  if (!differs(before, object)) return 0;
  // Pods of a node's network share its address, so an address alone does not say whether a name leads to it.
  const known = new Set(before.endpoints.map(nameAndAddress));
  const isNew = object.endpoints.some((endpoint) => !known.has(nameAndAddress(endpoint)));
  if (isNew && isComplete) return 0;
  const writtenMs = momentOf(before.metadata?.annotations?.[ANNOTATIONS.endpointsWritten]);
  const sinceMs = nowMs - (writtenMs ?? 0);
  const ageMs = (writtenMs ?? nowMs) - (momentOf(before.metadata?.creationTimestamp) ?? nowMs);
  const pauseMs = isNew ? Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, ageMs)) : ENDED_PAUSE_MS;
  return leftOf(pauseMs, sinceMs);
}

/** Which pods are found by their names, by what is written in the slices. */
export function isFoundBy(slices: readonly EndpointSlice[]): (pod: Pod) => boolean {
  const known = new Set(slices.flatMap(({ endpoints }) => endpoints.map(nameAndAddress)));
  return (pod) => known.has(nameAndAddress(endpointOf(pod)));
}

function nameAndAddress({ hostname = '', addresses: [address = ''] }: Endpoint): string {
  return `${hostname} ${address}`;
}

/** A clock that was set back must not keep a slice from being written. */
function leftOf(pauseMs: number, sinceMs: number): number {
  return sinceMs < 0 ? 0 : Math.max(0, pauseMs - sinceMs);
}

function differs(before: EndpointSlice, { endpoints }: EndpointSlice): boolean {
  return (
    mergePatch({ endpoints: before.endpoints.map(lookedUp) }, { endpoints: endpoints.map(lookedUp) }) !== undefined
  );
}

/** What a name is resolved by. */
function lookedUp({ addresses, hostname }: Endpoint): Endpoint {
  return { addresses, ...(hostname !== undefined && { hostname }) };
}

function endpointsAlone({ endpoints }: EndpointSlice): Pick<EndpointSlice, 'endpoints'> & { metadata?: object } {
  return { endpoints };
}

function stamped<T extends { metadata?: object }>(object: T, nowMs: number): T {
  const annotations = { [ANNOTATIONS.endpointsWritten]: new Date(nowMs).toISOString() };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
