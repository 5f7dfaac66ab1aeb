import {
  ENDPOINT_SLICES,
  PODS,
  SERVICES,
  type EndpointSlice,
  type KubeObject,
  type Pod,
  type Service,
} from '@muster/job-api';
import { isCreatedByMuster, workloadResourceOf } from '../model/replica-identity.ts';
import type { ReplicaRole } from '../model/training-job.ts';
import type { DesiredResource } from '../model/owned-resources.ts';
import { planOwnedResources } from '../owned-resources/plan-owned-resources.ts';
import { desiredPod, peersOf, type PodContext } from './desired-pod.ts';
import { desiredServices } from '../network/desired-services.ts';
import { desiredWorkload, surplusWorkloads } from '../workloads/desired-workload.ts';
import { asChild, asOwned } from '../owned-resources/as-owned.ts';
import { desiredOwnedResources } from './job-owned-resources.ts';
import { desiredEndpointSlices, type ServiceMembers } from '../network/endpoint-slices.ts';
import { isControlledBy } from '../model/ownership.ts';
import { isNamedAsReplica } from '../pods/named-as-replica.ts';
import { tallies } from '../replicas/job-replicas.ts';
import { isReleased } from '../pods/stray-pods.ts';
import { claims, isFree, isStaying, namesOf, type Claims } from './claims.ts';
import { nameOf } from './child-kind.ts';
import type { JobPlanContext } from '../world/plan-context.ts';
import { NO_CHANGE, type Decision } from '../model/decision.ts';
import { onEach, type Write, type WriteOf } from '../model/write.ts';
import { podNameOf } from '../model/pod-name.ts';
import { hasInvalidObject, shortageOfInvalidObject } from '../policies/invalid-objects.ts';
import type { GangStart } from '../gang/gang-start.ts';
import { heldBackRoles, waitingRoles } from '../gang/start-order.ts';
import { isToCreate, type ReplicaPod } from '../model/replica-pod.ts';
import { startWaits } from '../pods/start-waits.ts';
import { planInPlace } from './plan-in-place.ts';
import { betweenAttempts } from '../restarts/between-attempts.ts';
import { withFailures, type RestartAccount } from '../restarts/restart-account.ts';
import { earliest } from '../model/requeue.ts';
import { isJobService, serviceNetwork, type ServiceNetwork } from '../network/service-network.ts';
import { isAtRest, isCreatedByWorkload, isWorkload, ownWorkloads, workloadOf } from '../workloads/workloads.ts';

export const TAKEN_NAME_RETRY_MS = 30_000;

export function planChildren(context: JobPlanContext, account: RestartAccount, gang: GangStart): Decision {
  const { adapter, job, world, settings } = context;
  const { wanted, surplus } = context.replicas;
  const ownedResources = desiredOwnedResources(adapter, job, gang.scheduler, wanted, world);
  const own = wanted.filter(({ role }) => isCreatedByMuster(role));
  const names = new Set(own.map((replica) => podNameOf(job, replica)));
  const pods = whosePods(context, names);
  const services = whoseServices(context, names);
  const ownServices = [...services.owned, ...services.orphans];
  const existing = { pods: pods.owned, services: ownServices, conflictingServices: services.taken };
  const network = serviceNetwork(context, existing);
  const { wantedServices, slices, recheckAfterMs } = wantedNetwork(context, network, services, ownedResources);
  const absentServices = without(wantedServices, ownServices);
  const released = world.pods.filter((pod) => isReleased(adapter, pod, job));
  const attempts = betweenAttempts(adapter, job, world.pods, world.nowMs);
  const waiting = settings.startsAtOnce === true ? [] : heldBackRoles(adapter, job, tallies(job, wanted), context.gang);
  const held = new Set([...waiting, ...attempts.roles]);
  const heldNames = namesOf([...released, ...pods.orphans]);
  const absentPods = own
    .filter((replica) => isToCreate(replica) && !held.has(replica.role))
    .filter((replica) => !heldNames.has(podNameOf(job, replica)));
  const conflictingServices = absentServices.flatMap((service) => services.taken.get(nameOf(service)) ?? []);
  const conflictingPods = absentPods.flatMap((replica) => pods.taken.get(podNameOf(job, replica)) ?? []);
  const taken = [...conflictingServices, ...conflictingPods].map(nameTaken);

  // Otherwise new pods would find pods of an earlier job under their peers' names, and a Service of another owner would
  // route to other pods.
  const isNameFree = pods.staleNames.size === 0 && services.staleNames.size === 0 && conflictingServices.length === 0;
  const mayMake = gang.mayMakePods && context.queueShortage === undefined && isNameFree && !hasInvalidObject(world);
  const podContext = { network, clusterDomain: settings.clusterDomain, decorate: gang.decorate };
  const makeable = mayMake ? absentPods.filter((replica) => isFree(pods, podNameOf(job, replica))) : [];
  const newPods = podsOf(makeable, context, podContext, account.records);
  const workloads = desiredWorkloads(context, podContext, (role) => mayMake && !held.has(role));
  const resources = [...ownedResources, ...workloads, ...slices];
  const restarted = planInPlace(context, account.groups);
  const due = account.pending.filter(({ dueMs }) => dueMs <= world.nowMs).map(({ replica }) => replica.pod);
  const isObsolete = (pod: Pod) => isStaying(pod) && !attempts.stay.has(pod);
  const obsolete = [...due, ...surplus, ...restarted.notBack].filter(isObsolete);
  const newServices = absentServices.filter((service) => isFree(services, nameOf(service)));
  return {
    ...NO_CHANGE,
    events: [...waitingRoles(adapter, job, wanted, world.emittedEvents), ...restarted.events],
    writes: [
      ...onEach('adopt', PODS, pods.orphans),
      ...onEach('adopt', SERVICES, services.orphans),
      ...onEach('release', PODS, released.filter(isStaying)),
      ...onEach('delete', PODS, obsolete),
      ...onEach('delete', SERVICES, without(services.owned, wantedServices).filter(isStaying)),
      ...planWithOwnedResources(context, resources, newPods.length + pods.orphans.length > 0),
      ...onEach('create', SERVICES, newServices),
      ...onEach('create', PODS, newPods),
      ...annotations(context),
      ...restarted.writes,
    ],
    shortages: [...shortageOfInvalidObject(world), ...taken],
    requeueAfterMs: earliest(
      attempts.requeueAfterMs,
      recheckAfterMs,
      restarted.requeueAfterMs,
      taken.length > 0 ? TAKEN_NAME_RETRY_MS : undefined,
    ),
  };
}

function nameTaken(message: string) {
  return { reason: 'NameTaken' as const, message };
}

/** At most the pods that this run can create, plus one that shows that there are more. */
function podsOf(
  replicas: readonly ReplicaPod[],
  context: JobPlanContext,
  podContext: PodContext,
  records: RestartAccount['records'],
): Pod[] {
  const { adapter, job, settings } = context;
  const peers = peersOf(job, podContext);
  const made = replicas.slice(0, (settings.writesPerRun ?? Infinity) + 1);
  const wait = { replicas: context.replicas.wanted, peers, image: settings.startOrderInitImage };
  const roles = [...new Set(made.map(({ role }) => role))];
  const waits = new Map(roles.map((role) => [role, startWaits(adapter, job, role, wait)] as const));
  return made.map((replica) =>
    withFailures(desiredPod(adapter, job, replica, { ...podContext, waits }, peers), replica, records),
  );
}

function annotations({ adapter, job, world, replicas: { wanted } }: JobPlanContext): WriteOf<'annotate'>[] {
  const given = Object.entries(adapter.podAnnotations ?? {});
  if (given.length === 0) return [];
  return wanted.flatMap((replica) => {
    const { pod, state } = replica;
    if (pod === undefined || state !== 'running') return [];
    const desired = given.flatMap(([key, annotation]) => {
      const value = annotation.value(job, replica, wanted, world);
      return value === undefined ? [] : [[key, value] as const];
    });
    const isGiven = desired.every(([key, value]) => pod.metadata?.annotations?.[key] === value);
    const annotate = { op: 'annotate', resource: PODS, object: pod, annotations: Object.fromEntries(desired) } as const;
    return isGiven ? [] : [annotate];
  });
}

function wantedNetwork(
  context: JobPlanContext,
  network: ServiceNetwork | undefined,
  services: Claims<Service>,
  ownedResources: readonly DesiredResource[],
) {
  const { adapter, job, world } = context;
  const wanted = network === undefined ? [] : desiredServices(context, network);
  const unfilled = [...unfilledServices(wanted, services), ...unfilledOwnedServices(context, ownedResources)];
  const existing = world.ownedResources.flatMap(({ kind, object }) =>
    kind.resource === ENDPOINT_SLICES ? (object as EndpointSlice) : [],
  );
  const { slices, recheckAfterMs } = desiredEndpointSlices(unfilled, existing, world.nowMs);
  return {
    wantedServices: wanted.map(({ service }) => service),
    slices: slices.map((slice) => asOwned(adapter, job, slice as DesiredResource)),
    recheckAfterMs,
  };
}

function unfilledServices(wanted: readonly ServiceMembers[], existing: Claims<Service>): ServiceMembers[] {
  const { owned, orphans, taken } = existing;
  const filled = namesOf([...owned, ...orphans].filter(hasSelector));
  return wanted.filter(
    ({ service }) => !hasSelector(service) && !filled.has(nameOf(service)) && !taken.has(nameOf(service)),
  );
}

function unfilledOwnedServices({ job, world }: JobPlanContext, wanted: readonly DesiredResource[]): ServiceMembers[] {
  const existing = world.ownedResources.filter(({ kind }) => kind.resource === SERVICES);
  return wanted.flatMap(({ object, endpoints }) => {
    const found = existing.find((each) => nameOf(each.object) === nameOf(object));
    const isOurs = found === undefined || isControlledBy(job.metadata.uid, found.object);
    const isFilled = found !== undefined && hasSelector(found.object as Service);
    return endpoints === undefined || !isOurs || isFilled ? [] : [{ service: object as Service, ...endpoints }];
  });
}

function hasSelector({ spec }: Service): boolean {
  return spec?.selector !== undefined;
}

/** Replicas left by a larger job of this name are adopted, then scaled down. */
function whosePods({ adapter, job, world }: JobPlanContext, names: ReadonlySet<string>): Claims<Pod> {
  const { pods, ownedResources, conflictingPods } = world;
  const workloads = ownWorkloads(job, ownedResources);
  const free = pods.filter((pod) => !isCreatedByWorkload(pod, workloads));
  const isChild = (pod: Pod) => names.has(nameOf(pod)) || isNamedAsReplica(adapter, job, pod);
  return claims(job, free, { kind: 'Pod', taken: conflictingPods }, isChild);
}

function whoseServices({ adapter, job, world }: JobPlanContext, names: ReadonlySet<string>): Claims<Service> {
  const { services, conflictingServices } = world;
  const isChild = (service: Service) =>
    names.has(nameOf(service)) || (isJobService(service) && nameOf(service) === job.metadata.name);
  return claims(
    job,
    adapter.network === undefined ? [] : services,
    { kind: 'Service', taken: conflictingServices },
    isChild,
  );
}

export function desiredWorkloads(
  { adapter, job, world }: JobPlanContext,
  podContext: PodContext,
  mayMake: (role: ReplicaRole) => boolean,
): DesiredResource[] {
  const ofRoles = job.roles.flatMap((role) => {
    const identity = workloadResourceOf(role);
    if (identity === undefined) return [];
    const existing = workloadOf(job, role, world.ownedResources);
    const isIdle = existing === undefined || isAtRest(existing);
    if (isIdle && (hasInvalidObject(world) || !mayMake(role))) return [];
    const pod = desiredPod(adapter, job, { role, index: 0 }, podContext);
    const desired = desiredWorkload(job, { ...role, identity }, pod, world.pods);
    return [{ ...desired, object: asChild(adapter, job, desired.object) }];
  });
  return [...ofRoles, ...surplusWorkloads(job, world.ownedResources)];
}

/** Objects that cannot be watched are ensured only when new pods are created or adopted. */
export function planWithOwnedResources(
  { adapter, job, world }: JobPlanContext,
  desired: readonly DesiredResource[],
  hasNewPods: boolean,
): Write[] {
  const writes = planOwnedResources(job, world.ownedResources, desired);
  const areWorkloadsMade = writes.some(
    (each) => (each.op === 'create' || (each.op === 'patch' && job.hold === undefined)) && isWorkload(each.resource),
  );
  const ensured = hasNewPods || areWorkloadsMade ? (adapter.ownedResources?.ensured?.(job) ?? []) : [];
  const ensures = ensured.map((each): WriteOf<'ensure'> => {
    const child = asChild(adapter, job, each.object);
    const { ownerReferences: _none, ...metadata } = child.metadata ?? {};
    return { op: 'ensure', ...each, object: each.outlivesJob === true ? { ...child, metadata } : child };
  });
  return [...ensures, ...writes];
}

function without<T extends KubeObject>(objects: readonly T[], existing: readonly KubeObject[]): T[] {
  const names = namesOf(existing);
  return objects.filter((object) => !names.has(nameOf(object)));
}
