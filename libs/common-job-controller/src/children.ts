/** Which pods and Services a job's pass adopts, makes and deletes. */
import { replicaName, type KubeObject, type Service } from '@muster/job-api';
import type { FrameworkAdapter, Replica, TrainingJob } from './adapter.ts';
import { areServicesCleanedUp, isCleanedUp } from './clean-pod-policy.ts';
import { desiredPod } from './desired-pod.ts';
import { desiredServices } from './desired-services.ts';
import type { JobReplicas } from './job-replicas.ts';
import { isLeftover, ownershipOf } from './ownership.ts';
import { NOTHING_TO_DO, type Plan } from './plan.ts';
import type { ReplicaPod } from './replica-pods.ts';
import { serviceNetwork, type ServiceNetwork } from './service-network.ts';
import type { PlanSettings, World } from './world.ts';

/** How long a name that somebody else holds is left alone before it is tried again. */
export const TAKEN_NAME_RETRY_MS = 30_000;

/** A finished job keeps what its policy lets it keep. */
export function planCleanUp(job: TrainingJob, world: World, { wanted, surplus }: JobReplicas): Plan {
  const { cleanPodPolicy } = job.runPolicy;
  const cleaned = wanted.filter((replica) => isCleanedUp(cleanPodPolicy, replica)).flatMap(({ pod }) => pod ?? []);
  const services = areServicesCleanedUp(cleanPodPolicy) ? whose(job, world.services).owned : [];
  return {
    ...NOTHING_TO_DO,
    remove: { pods: [...cleaned, ...surplus.filter(isStaying)], services: services.filter(isStaying) },
  };
}

export function planChildren(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  world: World,
  settings: PlanSettings,
  { wanted, surplus }: JobReplicas,
  restarts: readonly ReplicaPod[],
): Plan {
  const pods = whose(job, world.pods);
  const services = whose(job, world.services);
  const podNames = new Set(wanted.map((replica) => podName(job, replica)));
  const orphanPods = pods.orphans.filter((pod) => podNames.has(nameOf(pod)));
  const orphanServices = services.orphans.filter((service) => podNames.has(nameOf(service)));

  const network = networkOf(adapter, job, services.owned, union(world.takenServices, services.held), settings);
  const wantedServices = desiredServices(adapter, job, wanted, network);
  const absentServices = without(wantedServices, [...services.owned, ...orphanServices]);
  const keptServiceNames = new Set(wantedServices.map(nameOf));

  const absentPods = wanted.filter(({ state }) => state === 'missing').map((replica) => podName(job, replica));
  const notOurs = new Set([...world.takenPods, ...pods.held, ...pods.leftovers, ...orphanPods.map(nameOf)]);
  // What is left of an earlier job of this name goes first: new pods would find its pods under the names of their peers.
  const isNameFree = pods.leftovers.size === 0 && services.leftovers.size === 0;
  const mayCreatePods = isNameFree && !isRefused(world);
  const creatable = new Set(mayCreatePods ? absentPods.filter((name) => !notOurs.has(name)) : []);
  const surroundings = { network, clusterDomain: settings.clusterDomain };
  return {
    ...NOTHING_TO_DO,
    adopt: { pods: orphanPods, services: orphanServices },
    remove: {
      pods: [...restarts.flatMap(({ pod }) => pod ?? []), ...surplus].filter(isStaying),
      services: services.owned.filter((service) => !keptServiceNames.has(nameOf(service))).filter(isStaying),
    },
    create: {
      services: absentServices.filter((service) => !services.leftovers.has(nameOf(service))),
      pods: wanted
        .filter((replica) => creatable.has(podName(job, replica)))
        .map((replica) => desiredPod(adapter, job, replica, surroundings)),
    },
    requeueAfterMs: absentPods.some((name) => notOurs.has(name)) ? TAKEN_NAME_RETRY_MS : undefined,
  };
}

function networkOf(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  services: readonly Service[],
  takenServices: ReadonlySet<string>,
  { serviceMode }: PlanSettings,
): ServiceNetwork {
  const addressed = adapter.addressed(job);
  return serviceNetwork({
    job,
    services,
    takenServices,
    addressed: new Set(addressed === undefined ? [] : [podName(job, addressed)]),
    defaultMode: serviceMode,
  });
}

/** Objects with the job's labels, by whom they belong to. */
function whose<T extends KubeObject>(job: TrainingJob, objects: readonly T[]) {
  const { uid } = job.metadata;
  const foreign = objects.filter((object) => ownershipOf(object, uid) === 'foreign');
  return {
    owned: objects.filter((object) => ownershipOf(object, uid) === 'owned'),
    orphans: objects.filter((object) => ownershipOf(object, uid) === 'orphan' && isStaying(object)),
    /** Names that are about to become free. */
    leftovers: new Set(foreign.filter((object) => isLeftover(object, job)).map(nameOf)),
    /** Names that another owner holds for good. */
    held: new Set(foreign.filter((object) => !isLeftover(object, job)).map(nameOf)),
  };
}

/** The API server has refused pods made from this very spec, so making them again would only repeat that. */
function isRefused({ refusal, manifest }: World): boolean {
  return refusal !== undefined && refusal.generation === manifest.metadata?.generation;
}

function podName(job: TrainingJob, { role, index }: Replica): string {
  return replicaName(job.metadata.name, role.name, index);
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

function union<T>(...sets: readonly ReadonlySet<T>[]): Set<T> {
  return new Set(sets.flatMap((set) => [...set]));
}
