/** Which pods and Services a job's pass adopts, makes and deletes. */
import { replicaName, type KubeObject, type Pod, type Service } from '@muster/job-api';
import type { FrameworkAdapter, Replica, TrainingJob } from './adapter.ts';
import { areServicesCleanedUp, isCleanedUp } from './clean-pod-policy.ts';
import { planCompanions } from './companions.ts';
import { desiredPod, peersOf } from './desired-pod.ts';
import { desiredServices } from './desired-services.ts';
import { tallies, type JobReplicas } from './job-replicas.ts';
import { isLeftover, isStray, ownershipOf } from './ownership.ts';
import { NOTHING_TO_DO, type Plan } from './plan.ts';
import type { ReplicaPod } from './replica-pods.ts';
import { wasEndedByLimit } from './run-limits.ts';
import { isJobService, serviceNetwork, type ServiceNetwork } from './service-network.ts';
import type { PlanSettings, World } from './world.ts';

/** How long a name that somebody else holds is left alone before it is tried again. */
export const TAKEN_NAME_RETRY_MS = 30_000;

/** A finished job keeps what its policy lets it keep. */
export function planCleanUp(job: TrainingJob, world: World, { wanted, surplus }: JobReplicas): Plan {
  const { cleanPodPolicy } = job.runPolicy;
  const isLimit = wasEndedByLimit(job);
  const cleaned = wanted
    .filter((replica) => isCleanedUp(cleanPodPolicy, replica, isLimit))
    .flatMap(({ pod }) => pod ?? []);
  // Of a job that is scaled down after its end, what has ended stays for reading.
  const beyond = cleanPodPolicy === 'All' ? surplus : surplus.filter((pod) => !hasEnded(pod));
  const services = areServicesCleanedUp(cleanPodPolicy) ? owned(job, world.services) : [];
  return {
    ...NOTHING_TO_DO,
    companions: planCompanions(job, world.companions, []),
    remove: { pods: [...cleaned, ...beyond].filter(isStaying), services: services.filter(isStaying) },
  };
}

/** A job that cannot be run has no pods: those that were made before that was known go. */
export function planRemovalOfPods(job: Pick<TrainingJob, 'metadata'>, world: World): Plan {
  return {
    ...NOTHING_TO_DO,
    companions: planCompanions(job, world.companions, []),
    remove: { pods: owned(job, world.pods).filter(isStaying), services: [] },
  };
}

/** Of a suspended job nothing stays that could run or be addressed. */
export function planRemovalOfAll(job: Pick<TrainingJob, 'metadata'>, world: World): Plan {
  return {
    ...NOTHING_TO_DO,
    companions: planCompanions(job, world.companions, []),
    remove: {
      pods: owned(job, world.pods).filter(isStaying),
      services: owned(job, world.services).filter(isStaying),
    },
  };
}

function owned<T extends KubeObject>(job: Pick<TrainingJob, 'metadata'>, objects: readonly T[]): T[] {
  return objects.filter((object) => ownershipOf(object, job.metadata.uid) === 'owned');
}

export function planChildren(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  world: World,
  settings: PlanSettings,
  { wanted, surplus }: JobReplicas,
  due: readonly ReplicaPod[],
  mayMakePods: boolean,
): Plan {
  const names = new Set(wanted.map((replica) => podName(job, replica)));
  const pods = whose(job, world.pods, world.takenPods, (pod) => names.has(nameOf(pod)));
  const services = whose(
    job,
    world.services,
    world.takenServices,
    (service) => names.has(nameOf(service)) || (isJobService(service) && nameOf(service) === job.metadata.name),
  );
  const network = networkOf(adapter, job, pods.owned, services, settings);
  const wantedServices = desiredServices(adapter, job, wanted, network);
  const absentServices = without(wantedServices, [...services.owned, ...services.orphans]);
  const strays = world.pods.filter((pod) => isStray(pod, job));
  const heldByStrays = namesOf(strays);
  const held = heldBack(adapter, job, wanted, settings);
  const absentPods = wanted.filter(
    (replica) =>
      replica.state === 'missing' && !held.has(replica.role.name) && !heldByStrays.has(podName(job, replica)),
  );
  const unownedPods = absentPods.filter(
    (replica) => !pods.orphans.some((pod) => nameOf(pod) === podName(job, replica)),
  );
  const isTaken = absentServices.some((service) => services.taken.has(nameOf(service)));

  // What is left of an earlier job of this name goes first: new pods would find its pods under the names of their peers.
  // And a Service in strange hands would lead them to strangers.
  const isNameFree = pods.leftovers.size === 0 && services.leftovers.size === 0 && !isTaken;
  const creatable = mayMakePods && isNameFree && !isRefused(world) ? unownedPods : [];
  const kept = new Set(wantedServices.map(nameOf));
  const surroundings = { network, clusterDomain: settings.clusterDomain, gang: settings.gang };
  const peers = peersOf(job, surroundings);
  return {
    ...NOTHING_TO_DO,
    release: strays.filter(isStaying),
    adopt: { pods: pods.orphans, services: services.orphans },
    remove: {
      pods: [...due.flatMap(({ pod }) => pod ?? []), ...surplus].filter(isStaying),
      services: services.owned.filter((service) => !kept.has(nameOf(service))).filter(isStaying),
    },
    create: {
      services: absentServices.filter((service) => isFree(services, nameOf(service))),
      pods: creatable
        .filter((replica) => isFree(pods, podName(job, replica)))
        .map((replica) => desiredPod(adapter, job, replica, surroundings, peers)),
    },
    requeueAfterMs:
      isTaken || unownedPods.some((replica) => pods.taken.has(podName(job, replica))) ? TAKEN_NAME_RETRY_MS : undefined,
  };
}

/** The roles that wait until others are so far. */
function heldBack(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  wanted: readonly ReplicaPod[],
  { gang }: PlanSettings,
): Set<string> {
  if (gang !== undefined) return new Set();
  const all = tallies(job, wanted, adapter.containerName);
  const held = job.roles.filter((role) => !(adapter.mayStart?.(job, role, all) ?? true));
  return new Set(held.map(({ name }) => name));
}

function networkOf(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  pods: readonly Pod[],
  services: Belongings<Service>,
  { serviceMode }: PlanSettings,
): ServiceNetwork {
  const addressed = adapter.addressed(job);
  return serviceNetwork({
    job,
    pods,
    services: [...services.owned, ...services.orphans],
    takenServices: services.taken,
    addressed: new Set(addressed === undefined ? [] : [podName(job, addressed)]),
    defaultMode: serviceMode,
  });
}

/** Objects with the job's labels, by whom they belong to. */
interface Belongings<T> {
  readonly owned: readonly T[];
  /** Nobody's, and with a name that a child of the job has. */
  readonly orphans: readonly T[];
  /** Names that are about to become free. */
  readonly leftovers: ReadonlySet<string>;
  /** Names that another owner holds for good. */
  readonly taken: ReadonlySet<string>;
}

function whose<T extends KubeObject>(
  job: TrainingJob,
  objects: readonly T[],
  taken: ReadonlySet<string>,
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
    taken: new Set([...taken, ...namesOf(foreign.filter((object) => !isLeftover(object, job)))]),
  };
}

function isFree({ leftovers, taken }: Belongings<unknown>, name: string): boolean {
  return !leftovers.has(name) && !taken.has(name);
}

/** The API server has refused pods made from this very spec, so making them again would only repeat that. */
function isRefused({ refusal, manifest }: World): boolean {
  return refusal !== undefined && refusal.generation === manifest.metadata?.generation;
}

function podName(job: TrainingJob, { role, index }: Replica): string {
  return replicaName(job.metadata.name, role.name, index);
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
