/**
 * The EndpointSlices of a job's Services, which have no selector, so that only Muster writes them. Kubernetes' controllers would write for
 * each pod that gets an address, becomes ready or ends: most of the writes for a job. Muster writes a slice when the last pod has its
 * address, and earlier only if pods are late. Pods that are not ready are included with `publishNotReadyAddresses`, as in the engine's own
 * Services.
 *
 * Services with a selector, from another operator or in mode `PerReplica`, are left to Kubernetes.
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

/** The API server accepts 1000. Each change rewrites a whole slice. */
const MOST_ENDPOINTS = 250;
/** Pods of a job are created together and usually get their addresses together. */
const FIRST_WRITE_DELAY_MS = 3000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 4000;
/** Pods of a job usually end together, and clusters do not reuse an address at once. */
const ENDED_PAUSE_MS = 15_000;

export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

export const ENDPOINT_SLICE_KIND: OwnedKind<EndpointSlice> = {
  resource: ENDPOINT_SLICES,
  // After the pods have ended, their addresses may be given to other pods.
  endsWithRun: true,
  isAlwaysLabelled: true,
  // Pods may be created before their names resolve.
  isOptional: true,
  trim: ({ metadata, addressType, endpoints }) => {
    const written = metadata?.annotations?.[ANNOTATIONS.endpointsWritten];
    const { metadata: kept } = trimmedMeta(metadata);
    return {
      metadata: { ...kept, ...(written !== undefined && { annotations: { [ANNOTATIONS.endpointsWritten]: written } }) },
      addressType,
      // Kubernetes' own slices have the Service's labels, and null for an empty list.
      endpoints: (endpoints ?? []).map(resolvedFields),
    };
  },
};

export interface DesiredSlices {
  readonly slices: readonly DesiredResource<EndpointSlice>[];
  readonly recheckAfterMs: number | undefined;
}

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
  readonly isComplete: boolean;
  readonly sinceMs: number;
}

function slicesOf({ service, replicas, seeker }: ServiceMembers): Slice[] {
  const isReachable = (pod: Pod) =>
    hasAddress(pod) && (service.spec?.publishNotReadyAddresses === true || isReady(pod));
  const slices: Slice[] = [];
  for (let from = 0; from < replicas.length; from += MOST_ENDPOINTS) {
    const members = replicas.slice(from, from + MOST_ENDPOINTS);
    const isComplete = !members.some((member) => member.role.name !== seeker && isAwaited(member, isReachable));
    const pods = members.flatMap(({ pod }) => (pod !== undefined && isReachable(pod) ? pod : []));
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

/** The others do not wait for an unschedulable pod, which may take long. */
function isAwaited(replica: ReplicaPod, isReachable: (pod: Pod) => boolean): boolean {
  const { state, pod } = replica;
  if (isToCreate(replica)) return true;
  if (state !== 'pending' && state !== 'running') return false;
  return pod === undefined || !(isReachable(pod) || hasEnded(pod) || isUnscheduled(pod));
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

/** The hostname of a Job's pod differs from its name. */
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
        // Keeps kube-proxy from watching the slice.
        'service.kubernetes.io/headless': '',
      },
    },
    addressType,
    endpoints: [...endpoints],
    ...(ports.length > 0 && { ports }),
  };
}

/** How long a write is delayed: not at all if it completes the slice, otherwise the longer the older the slice is. */
function waitMs(before: EndpointSlice | undefined, slice: Slice, nowMs: number): number {
  const { object, isComplete } = slice;
  if (before === undefined) return isComplete ? 0 : leftOf(FIRST_WRITE_DELAY_MS, nowMs - slice.sinceMs);
  if (!differs(before, object)) return 0;
  // Pods with hostNetwork share an address, so the address alone does not identify an endpoint.
  const known = new Set(before.endpoints.map(nameAndAddress));
  const isNew = object.endpoints.some((endpoint) => !known.has(nameAndAddress(endpoint)));
  if (isNew && isComplete) return 0;
  const writtenMs = momentOf(before.metadata?.annotations?.[ANNOTATIONS.endpointsWritten]);
  const sinceMs = nowMs - (writtenMs ?? 0);
  const ageMs = (writtenMs ?? nowMs) - (momentOf(before.metadata?.creationTimestamp) ?? nowMs);
  const pauseMs = isNew ? Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, ageMs)) : ENDED_PAUSE_MS;
  return leftOf(pauseMs, sinceMs);
}

export function isFoundBy(slices: readonly EndpointSlice[]): (pod: Pod) => boolean {
  const known = new Set(slices.flatMap(({ endpoints }) => endpoints.map(nameAndAddress)));
  return (pod) => known.has(nameAndAddress(endpointOf(pod)));
}

function nameAndAddress({ hostname = '', addresses: [address = ''] }: Endpoint): string {
  return `${hostname} ${address}`;
}

/** A clock that was set back must not block a write. */
function leftOf(pauseMs: number, sinceMs: number): number {
  return sinceMs < 0 ? 0 : Math.max(0, pauseMs - sinceMs);
}

function differs(before: EndpointSlice, { endpoints }: EndpointSlice): boolean {
  return (
    mergePatch({ endpoints: before.endpoints.map(resolvedFields) }, { endpoints: endpoints.map(resolvedFields) }) !==
    undefined
  );
}

function resolvedFields({ addresses, hostname }: Endpoint): Endpoint {
  return { addresses, ...(hostname !== undefined && { hostname }) };
}

function endpointsAlone({ endpoints }: EndpointSlice): Pick<EndpointSlice, 'endpoints'> & { metadata?: object } {
  return { endpoints };
}

function stamped<T extends { metadata?: object }>(object: T, nowMs: number): T {
  const annotations = { [ANNOTATIONS.endpointsWritten]: new Date(nowMs).toISOString() };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
