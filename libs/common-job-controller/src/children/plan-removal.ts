import { PODS, SERVICES, type KubeObject, type Pod } from '@muster/job-api';
import { isCreatedByMuster } from '../model/replica-identity.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { deletion, planOwnedResources } from '../owned-resources/plan-owned-resources.ts';
import { areServicesCleanedUp, isCleanedUp } from '../policies/clean-pod-policy.ts';
import { hasEnded } from '../pods/pod-end.ts';
import { ownershipOf } from '../model/ownership.ts';
import { wasEndedByLimit } from '../status/run-limits.ts';
import { longestGraceMs, sidecarGrace } from '../policies/sidecar-grace.ts';
import { stoppedWorkloads } from '../workloads/desired-workload.ts';
import { workloadsOf } from '../queueing/kueue-objects.ts';
import { ownWorkloads } from '../workloads/workloads.ts';
import { isStaying } from './claims.ts';
import type { JobPlanContext } from '../world/plan-context.ts';
import { endNotes } from './plan-in-place.ts';
import { onEach, type Write } from '../model/write.ts';
import type { Decision } from '../model/decision.ts';
import type { World } from '../world/world.ts';

/** Pods with running sidecars are kept for a grace period. */
export function planCleanUp(context: JobPlanContext): Pick<Decision, 'writes' | 'requeueAfterMs'> {
  const { adapter, job, world, replicas } = context;
  const { wanted, surplus } = replicas;
  const graceOf = sidecarGrace(context);
  const { cleanPodPolicy } = job.runPolicy;
  const isLimit = wasEndedByLimit(job);
  const cleaned = wanted
    .filter(({ role }) => isCreatedByMuster(role))
    .filter((replica) => isCleanedUp(cleanPodPolicy, replica, isLimit) && graceOf(replica) === 0)
    .flatMap(({ pod }) => pod ?? []);
  // Ended surplus pods are kept for their logs.
  const beyond = cleanPodPolicy === 'All' ? surplus : surplus.filter((pod) => !hasEnded(pod));
  const stay = wanted.filter(({ pod }) => pod !== undefined && !cleaned.includes(pod));
  const services =
    areServicesCleanedUp(cleanPodPolicy) && adapter.network !== undefined ? owned(job, world.services) : [];
  const writes = [
    ...deletionsAsSeen([...cleaned, ...beyond].filter(isStaying)),
    ...onEach('delete', SERVICES, services.filter(isStaying)),
    ...endNotes(stay),
    ...planOwnedResources(job, world.ownedResources, [
      ...stoppedWorkloads(job, world.ownedResources, wanted, graceOf),
      ...(adapter.ownedResources?.afterEnd?.(job, world).kept ?? []),
    ]),
  ];
  return { writes, requeueAfterMs: longestGraceMs(wanted, graceOf) };
}

/** They were created before the spec was known to be invalid. */
export function planRemovalOfPods(job: Pick<TrainingJob, 'metadata'>, world: World): Write[] {
  const workloads = ownWorkloads(job, world.ownedResources);
  const { own: queued } = workloadsOf(job, world.ownedResources);
  return [
    ...onEach('delete', PODS, owned(job, world.pods).filter(isStaying)),
    ...planOwnedResources(job, world.ownedResources, []),
    ...workloads.map(deletion),
    ...queued.map(deletion),
  ];
}

export function planRemovalOfAll({ adapter, job, world }: JobPlanContext): Write[] {
  return [
    ...deletionsAsSeen(owned(job, world.pods).filter(isStaying)),
    ...onEach('delete', SERVICES, adapter.network === undefined ? [] : owned(job, world.services).filter(isStaying)),
  ];
}

function deletionsAsSeen(pods: readonly Pod[]): Write[] {
  return onEach('delete', PODS, pods).map((deletion) => ({ ...deletion, asSeen: true }));
}

function owned<T extends KubeObject>(job: Pick<TrainingJob, 'metadata'>, objects: readonly T[]): T[] {
  return objects.filter((object) => ownershipOf(object, job.metadata.uid) === 'owned');
}
