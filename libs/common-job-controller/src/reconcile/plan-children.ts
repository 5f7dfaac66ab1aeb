/** Which pods and Services a job's pass adopts, makes and deletes. */
import type { KubeObject, Pod, Service } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { areServicesCleanedUp, isCleanedUp } from '../policies/clean-pod-policy.ts';
import { planOwnedResources, type DesiredResource } from '../owned-resources/owned-resources.ts';
import { desiredPod, peersOf, type PodContext } from '../pods/desired-pod.ts';
import { desiredServices } from '../network/desired-services.ts';
import { desiredWorkload, stoppedWorkloads, surplusWorkloads } from '../workloads/desired-workload.ts';
import { leastOf } from '../gang/gang-size.ts';
import { asChild } from '../owned-resources/job-owned-resources.ts';
import { isNamedAsReplica, tallies, type JobReplicas } from '../pods/job-replicas.ts';
import { isLeftover, isStray, ownershipOf, takenBy } from '../model/ownership.ts';
import { NOTHING_TO_DO, type Plan } from './plan.ts';
import { podNameOf } from '../model/pod-name.ts';
import { isRefused, shortageOfRefusal } from '../policies/refused-pods.ts';
import type { ReplicaPod } from '../pods/replica-pods.ts';
import { withFailures, type RestartAccount } from '../restarts/restart-account.ts';
import { betweenAttempts } from '../restarts/between-attempts.ts';
import { earliest } from './requeue.ts';
import { wasEndedByLimit } from '../policies/run-limits.ts';
import { isJobService, serviceNetwork, type ServiceNetwork } from '../network/service-network.ts';
import { isAtRest, isMadeByWorkload, isWorkload, ownWorkloads, workloadOf } from '../workloads/workloads.ts';
import type { PlanSettings, World } from './world.ts';

/** How long a name that somebody else holds is left alone before it is tried again. */
export const TAKEN_NAME_RETRY_MS = 30_000;

/** A finished job keeps what its policy lets it keep. */
export function planCleanUp(
  { network }: FrameworkAdapter,
  job: TrainingJob,
  world: World,
  { wanted, surplus }: JobReplicas,
): Plan {
  const { cleanPodPolicy } = job.runPolicy;
  const isLimit = wasEndedByLimit(job);
  const cleaned = wanted
    .filter(({ role }) => role.workload === undefined)
    .filter((replica) => isCleanedUp(cleanPodPolicy, replica, isLimit))
    .flatMap(({ pod }) => pod ?? []);
  // Of a job that is scaled down after its end, what has ended stays for reading.
  const beyond = cleanPodPolicy === 'All' ? surplus : surplus.filter((pod) => !hasEnded(pod));
  const services = areServicesCleanedUp(cleanPodPolicy) && network !== undefined ? owned(job, world.services) : [];
  return {
    ...NOTHING_TO_DO,
    ownedResources: planOwnedResources(job, world.ownedResources, stoppedWorkloads(job, world.ownedResources, wanted)),
    remove: { pods: [...cleaned, ...beyond].filter(isStaying), services: services.filter(isStaying) },
    removesAsSeen: true,
  };
}

/** A job that cannot be run has no pods: those that were made before that was known go. */
export function planRemovalOfPods(job: Pick<TrainingJob, 'metadata'>, world: World): Plan {
  const ownedResources = planOwnedResources(job, world.ownedResources, []);
  const workloads = ownWorkloads(job, world.ownedResources).map(({ kind: { resource }, object }) => ({
    resource,
    object,
  }));
  return {
    ...NOTHING_TO_DO,
    ownedResources: { ...ownedResources, remove: [...ownedResources.remove, ...workloads] },
    remove: { pods: owned(job, world.pods).filter(isStaying), services: [] },
  };
}

/** Of a suspended job nothing stays that could run or be addressed. */
export function planRemovalOfAll(
  { network }: FrameworkAdapter,
  job: Pick<TrainingJob, 'metadata'>,
  world: World,
): Plan {
  return {
    ...NOTHING_TO_DO,
    remove: {
      pods: owned(job, world.pods).filter(isStaying),
      services: network === undefined ? [] : owned(job, world.services).filter(isStaying),
    },
  };
}

function owned<T extends KubeObject>(job: Pick<TrainingJob, 'metadata'>, objects: readonly T[]): T[] {
  return objects.filter((object) => ownershipOf(object, job.metadata.uid) === 'owned');
}

/** `owned resources` are those that the job should have beside its workloads. */
export function planChildren(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  world: World,
  settings: PlanSettings,
  { wanted, surplus }: JobReplicas,
  { due, records }: { readonly due: readonly ReplicaPod[]; readonly records: RestartAccount['records'] },
  mayMakePods: boolean,
  ownedResources: readonly DesiredResource[],
): Plan {
  const own = wanted.filter(({ role }) => role.workload === undefined);
  const names = new Set(own.map((replica) => podNameOf(job, replica)));
  const pods = whosePods(adapter, job, world, names);
  const services = whoseServices(adapter, job, world, names);
  const network = adapter.network === undefined ? undefined : networkOf(adapter, job, pods.owned, services, settings);
  const wantedServices = network === undefined ? [] : desiredServices(adapter, job, wanted, network);
  const absentServices = without(wantedServices, [...services.owned, ...services.orphans]);
  const strays = world.pods.filter((pod) => isStray(pod, job));
  const heldByStrays = namesOf(strays);
  const attempts = betweenAttempts(adapter, job, world.pods, world.nowMs);
  const goes = (pod: Pod) => isStaying(pod) && !attempts.stay.has(pod);
  const held = new Set([...heldBack(adapter, job, wanted, settings), ...attempts.roles]);
  const absentPods = own.filter(
    (replica) => replica.state === 'missing' && !held.has(replica.role) && !heldByStrays.has(podNameOf(job, replica)),
  );
  const unownedPods = absentPods.filter(
    (replica) => !pods.orphans.some((pod) => nameOf(pod) === podNameOf(job, replica)),
  );
  const isTaken = absentServices.some((service) => services.taken.has(nameOf(service)));
  const taken = [
    ...absentServices.flatMap((service) => services.taken.get(nameOf(service)) ?? []),
    ...unownedPods.flatMap((replica) => pods.taken.get(podNameOf(job, replica)) ?? []),
  ].map((message) => ({ reason: 'NameTaken' as const, message }));

  // What is left of an earlier job of this name goes first: new pods would find its pods under the names of their peers.
  // And a Service in strange hands would lead them to strangers.
  const isNameFree = pods.leftovers.size === 0 && services.leftovers.size === 0 && !isTaken;
  const mayMake = mayMakePods && isNameFree && !isRefused(world);
  const context = { network, clusterDomain: settings.clusterDomain, gang: settings.gang };
  const peers = peersOf(job, context);
  const newPods = (mayMake ? unownedPods : [])
    .filter((replica) => isFree(pods, podNameOf(job, replica)))
    // Of thousands no more are put together than this pass can make, and one by which it sees that there are more.
    .slice(0, (settings.writesPerPass ?? Infinity) + 1)
    .map((replica) => withFailures(desiredPod(adapter, job, replica, context, peers), records));
  const desired = [
    ...ownedResources,
    ...desiredWorkloads(adapter, job, world, context, (role) => mayMake && !held.has(role)),
  ];
  return {
    ...NOTHING_TO_DO,
    ...planWithOwnedResources(adapter, job, world, desired, newPods.length > 0),
    release: strays.filter(isStaying),
    adopt: { pods: pods.orphans, services: services.orphans },
    remove: {
      pods: [...due.flatMap(({ pod }) => pod ?? []), ...surplus].filter(goes),
      services: without(services.owned, wantedServices).filter(isStaying),
    },
    create: { services: absentServices.filter((service) => isFree(services, nameOf(service))), pods: newPods },
    annotate: annotations(adapter, job, wanted),
    lacks: { kinds: [], because: [...shortageOfRefusal(world), ...taken] },
    requeueAfterMs: earliest(attempts.requeueAfterMs, taken.length > 0 ? TAKEN_NAME_RETRY_MS : undefined),
  };
}

function annotations(adapter: FrameworkAdapter, job: TrainingJob, wanted: readonly ReplicaPod[]): Plan['annotate'] {
  const given = Object.entries(adapter.podAnnotations ?? {});
  if (given.length === 0) return [];
  return wanted.flatMap((replica) => {
    const { pod, state } = replica;
    if (pod === undefined || state !== 'running') return [];
    const desired = given.flatMap(([key, annotation]) => {
      const value = annotation.value(job, replica, wanted);
      return value === undefined ? [] : [[key, value] as const];
    });
    const isGiven = desired.every(([key, value]) => pod.metadata?.annotations?.[key] === value);
    return isGiven ? [] : [{ pod, annotations: Object.fromEntries(desired) }];
  });
}

/** Also those that a larger job of this name has left are the job's to take over, and to scale away. */
function whosePods(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  { pods, ownedResources, takenPods }: World,
  names: ReadonlySet<string>,
): Belongings<Pod> {
  const workloads = ownWorkloads(job, ownedResources);
  const free = pods.filter((pod) => !isMadeByWorkload(pod, workloads));
  const isChild = (pod: Pod) => names.has(nameOf(pod)) || isNamedAsReplica(adapter, job, pod);
  return whose(job, free, { kind: 'Pod', taken: takenPods }, isChild);
}

/** A framework with a network of its own sees to its Services itself. */
function whoseServices(
  { network }: FrameworkAdapter,
  job: TrainingJob,
  { services, takenServices }: World,
  names: ReadonlySet<string>,
): Belongings<Service> {
  const isChild = (service: Service) =>
    names.has(nameOf(service)) || (isJobService(service) && nameOf(service) === job.metadata.name);
  return whose(job, network === undefined ? [] : services, { kind: 'Service', taken: takenServices }, isChild);
}

/** The workloads that the job has, as they should be, and those that it may have now. */
export function desiredWorkloads(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  world: World,
  context: PodContext,
  mayMake: (role: ReplicaRole) => boolean,
): DesiredResource[] {
  const ofRoles = job.roles.flatMap((role) => {
    const { workload } = role;
    if (workload === undefined) return [];
    const existing = workloadOf(job, role, world.ownedResources);
    const isIdle = existing === undefined || isAtRest(existing);
    if (isIdle && (isRefused(world) || !mayMake(role))) return [];
    const pod = desiredPod(adapter, job, { role, index: 0 }, context);
    const desired = desiredWorkload(job, { ...role, workload }, pod, world.pods);
    return [{ ...desired, object: asChild(adapter, job, desired.object) }];
  });
  return [...ofRoles, ...surplusWorkloads(job, world.ownedResources)];
}

/** What pods need that cannot be watched is made sure of when there are to be new ones. */
export function planWithOwnedResources(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  world: World,
  desired: readonly DesiredResource[],
  arePodsMade: boolean,
): Pick<Plan, 'ownedResources' | 'ensure'> {
  const ownedResources = planOwnedResources(job, world.ownedResources, desired);
  const woken = job.runPolicy.suspend ? [] : ownedResources.change;
  const areWorkloadsMade = [...ownedResources.create, ...woken].some(({ resource }) => isWorkload(resource));
  const ensured = arePodsMade || areWorkloadsMade ? (adapter.ownedResources?.ensured?.(job) ?? []) : [];
  return {
    ownedResources,
    ensure: ensured.map((each) => ({ ...each, object: asChild(adapter, job, each.object) })),
  };
}

/** The roles that wait until others are so far. */
function heldBack(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  wanted: readonly ReplicaPod[],
  { gang }: PlanSettings,
): Set<ReplicaRole> {
  const all = tallies(job, wanted);
  const mayStart = (role: ReplicaRole) =>
    (gang !== undefined && leastOf(adapter, job, role) > 0) || (adapter.scheduling?.mayStart?.(job, role, all) ?? true);
  return new Set(job.roles.filter((role) => !mayStart(role)));
}

function networkOf(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  pods: readonly Pod[],
  services: Belongings<Service>,
  { serviceMode, clusterDomain }: PlanSettings,
): ServiceNetwork {
  const addressed = adapter.network?.addressed(job);
  return serviceNetwork({
    job,
    pods,
    services: [...services.owned, ...services.orphans],
    takenServices: services.taken,
    addressed: new Set(addressed === undefined ? [] : [podNameOf(job, addressed)]),
    defaultMode: serviceMode,
    clusterDomain,
  });
}

/** Objects with the job's labels, by whom they belong to. */
interface Belongings<T> {
  readonly owned: readonly T[];
  /** Nobody's, and with a name that a child of the job has. */
  readonly orphans: readonly T[];
  /** Names that are about to become free. */
  readonly leftovers: ReadonlySet<string>;
  /** Names that another owner holds for good, each with the sentence that says whose. */
  readonly taken: ReadonlyMap<string, string>;
}

function whose<T extends KubeObject>(
  job: TrainingJob,
  objects: readonly T[],
  { kind, taken }: { readonly kind: string; readonly taken: ReadonlyMap<string, string> },
  isChild: (object: T) => boolean,
): Belongings<T> {
  const ownership = (object: T) => ownershipOf(object, job.metadata.uid);
  const owned = objects.filter((object) => ownership(object) === 'owned');
  const orphans = objects.filter((object) => ownership(object) === 'orphan' && isChild(object));
  const foreign = objects.filter((object) => ownership(object) === 'foreign');
  return {
    owned,
    orphans: orphans.filter(isStaying),
    leftovers: namesOf([
      ...foreign.filter((object) => isLeftover(object, job)),
      ...orphans.filter((object) => !isStaying(object)),
    ]),
    taken: new Map([
      ...foreign
        .filter((object) => !isLeftover(object, job))
        .map((object) => [nameOf(object), takenBy(kind, object)] as const),
      ...taken,
    ]),
  };
}

function isFree({ leftovers, taken }: Belongings<unknown>, name: string): boolean {
  return !leftovers.has(name) && !taken.has(name);
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function nameOf({ metadata }: KubeObject): string {
  return metadata?.name ?? '';
}

function isStaying({ metadata }: KubeObject): boolean {
  return metadata?.deletionTimestamp === undefined;
}

function without<T extends KubeObject>(objects: readonly T[], existing: readonly KubeObject[]): T[] {
  const names = new Set(existing.map(nameOf));
  return objects.filter((object) => !names.has(nameOf(object)));
}

function namesOf(objects: readonly KubeObject[]): Set<string> {
  return new Set(objects.map(nameOf));
}
