/**
 * The EndpointSlices of a job's Services, which have no selector, so that only Muster writes them. Kubernetes' controllers
 * would write for each pod that gets an address, becomes ready or ends: most of the writes for a job. Muster writes a
 * slice when the last pod has its address, and earlier only if pods are late. Services with a selector, from another
 * operator or in mode `PerReplica`, are left to Kubernetes.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  ANNOTATIONS,
  type Endpoint,
  ENDPOINT_SLICES,
  type EndpointSlice,
  hasEnded,
  momentOf,
  type Pod,
  type Service,
} from '@muster/job-api';
import type { DesiredResource, Members, OwnedKind } from '../model/owned-resources.ts';
import { isReady } from '../pods/replica-pods.ts';
import { isToCreate, type ReplicaPod } from '../model/replica-pod.ts';
import { trimmedMeta } from '../pods/trim.ts';
import { earliest } from '../model/requeue.ts';

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

export interface ServiceMembers extends Members {
  readonly service: Service;
}

export function desiredEndpointSlices(
  services: readonly ServiceMembers[],
  existing: readonly EndpointSlice[],
  nowMs: number,
): { readonly slices: readonly DesiredResource<EndpointSlice>[]; readonly recheckAfterMs: number | undefined } {
  const byName = new Map(existing.map((slice) => [slice.metadata?.name, slice]));
  const desired = services.flatMap(slicesOf).flatMap((slice) => {
    const before = byName.get(slice.object.metadata?.name);
    if (before === undefined && slice.object.endpoints.length === 0) return [];
    return { object: slice.object, isNew: before === undefined, waitMs: waitMs(before, slice, nowMs) };
  });
  const annotations = { [ANNOTATIONS.endpointsWritten]: new Date(nowMs).toISOString() };
  const written = desired.filter(({ isNew, waitMs }) => !isNew || waitMs === 0);
  return {
    slices: written.map(({ object, waitMs }) => ({
      resource: ENDPOINT_SLICES,
      object: { ...object, metadata: { ...object.metadata, annotations } },
      change: (before) =>
        waitMs > 0 || !differs(before, object)
          ? undefined
          : { patch: { endpoints: object.endpoints, metadata: { annotations } } },
    })),
    recheckAfterMs: earliest(...desired.map(({ waitMs }) => (waitMs > 0 ? waitMs : undefined))),
  };
}

interface Slice {
  readonly object: EndpointSlice;
  readonly isComplete: boolean;
  readonly sinceMs: number;
}

/** Also those without endpoints: like Kubernetes, an existing slice is emptied rather than deleted while the job runs. */
function slicesOf({ service, replicas, seeker }: ServiceMembers): Slice[] {
  const { publishNotReadyAddresses = false } = service.spec ?? {};
  const isReachable = (pod: Pod) =>
    pod.status?.podIP !== undefined && !hasEnded(pod) && (publishNotReadyAddresses || isReady(pod));
  const slices: Slice[] = [];
  for (let from = 0; from < replicas.length; from += MOST_ENDPOINTS) {
    const members = replicas.slice(from, from + MOST_ENDPOINTS);
    const isComplete = !members.some((member) => member.role.name !== seeker && isAwaited(member, isReachable));
    const pods = members.flatMap(({ pod }) => (pod !== undefined && isReachable(pod) ? pod : []));
    const sinceMs = Math.min(...pods.map(({ metadata }) => momentOf(metadata?.creationTimestamp) ?? 0));
    const byFamily = Map.groupBy(pods.map(endpointOf), ({ addresses: [ip = ''] }) =>
      ip.includes(':') ? 'IPv6' : 'IPv4',
    );
    for (const addressType of ['IPv4', 'IPv6'] as const) {
      const name = `${service.metadata?.name}-${from / MOST_ENDPOINTS}${addressType === 'IPv4' ? '' : '-ipv6'}`;
      const object = sliceOf(service, name, addressType, byFamily.get(addressType) ?? []);
      slices.push({ object, isComplete, sinceMs });
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

/** The hostname of a Job's pod differs from its name. */
function endpointOf({ metadata, spec, status }: Pod): Endpoint {
  const { name = '', namespace = '' } = metadata ?? {};
  const { podIP = '' } = status ?? {};
  return { addresses: [podIP], hostname: spec?.hostname ?? name, targetRef: { kind: 'Pod', namespace, name } };
}

function sliceOf(
  { metadata, spec }: Service,
  sliceName: string,
  addressType: 'IPv4' | 'IPv6',
  endpoints: readonly Endpoint[],
): EndpointSlice {
  const ports = (spec?.ports ?? []).map(({ name = '', port, protocol = 'TCP' }) => ({ name, port, protocol }));
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: sliceName,
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
  const { object, isComplete, sinceMs } = slice;
  if (before === undefined) return isComplete ? 0 : leftOf(FIRST_WRITE_DELAY_MS, nowMs - sinceMs);
  // The addresses of pods that are created again are removed at once.
  if (!differs(before, object) || (object.endpoints.length === 0 && !isComplete)) return 0;
  // Pods with hostNetwork share an address, so the address alone does not identify an endpoint.
  const known = new Set(before.endpoints.map(nameAndAddress));
  const isNew = object.endpoints.some((endpoint) => !known.has(nameAndAddress(endpoint)));
  if (isNew && isComplete) return 0;
  const writtenMs = momentOf(before.metadata?.annotations?.[ANNOTATIONS.endpointsWritten]);
  const ageMs = (writtenMs ?? nowMs) - (momentOf(before.metadata?.creationTimestamp) ?? nowMs);
  const pauseMs = isNew ? Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, ageMs)) : ENDED_PAUSE_MS;
  return leftOf(pauseMs, nowMs - (writtenMs ?? 0));
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

function differs(before: EndpointSlice, after: EndpointSlice): boolean {
  return !isDeepStrictEqual(before.endpoints.map(resolvedFields), after.endpoints.map(resolvedFields));
}

function resolvedFields({ addresses, hostname }: Endpoint): Endpoint {
  return { addresses, ...(hostname !== undefined && { hostname }) };
}
