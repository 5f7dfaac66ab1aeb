import { hasEnded, type Pod, PODS, SERVICES } from '@muster/job-api';
import { isCreatedByMuster } from '../model/replica-identity.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { deletion, planOwnedResources } from '../owned-resources/plan-owned-resources.ts';
import { areServicesCleanedUp, isCleanedUp } from '../policies/clean-pod-policy.ts';
import { wasEndedByLimit } from '../status/run-limits.ts';
import { longestGraceMs, sidecarGrace } from '../policies/sidecar-grace.ts';
import { stoppedWorkloads } from '../workloads/desired-workload.ts';
import { workloadsOf } from '../queueing/kueue-objects.ts';
import { ownWorkloads } from '../workloads/workloads.ts';
import { isStaying, stayingOf } from './claims.ts';
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
  const deleted = new Set(cleaned);
  const stay = wanted.filter(({ pod }) => pod !== undefined && !deleted.has(pod));
  const writes = [
    ...deletionsAsSeen([...cleaned, ...beyond].filter(isStaying)),
    ...(areServicesCleanedUp(cleanPodPolicy) ? serviceDeletions(context) : []),
    ...endNotes(stay),
    ...planOwnedResources(job, world.ownedResources, [
      ...stoppedWorkloads(job, world.ownedResources, wanted, graceOf),
      ...(adapter.ownedResources?.afterEnd?.(job, world).kept ?? []),
    ]),
  ];
  return { writes, requeueAfterMs: longestGraceMs(wanted, graceOf) };
}

/** They were created before the spec was known to be invalid. */
export function planRemovalOfPods(job: Pick<TrainingJob, 'metadata'>, { pods, ownedResources }: World): Write[] {
  const { own: queued } = workloadsOf(job, ownedResources);
  return [
    ...onEach('delete', PODS, stayingOf(job, pods)),
    ...planOwnedResources(job, ownedResources, []),
    ...[...ownWorkloads(job, ownedResources), ...queued].map(deletion),
  ];
}

export function planRemovalOfAll(context: JobPlanContext): Write[] {
  return [...deletionsAsSeen(stayingOf(context.job, context.world.pods)), ...serviceDeletions(context)];
}

function serviceDeletions({ adapter, job, world }: JobPlanContext): Write[] {
  return onEach('delete', SERVICES, adapter.network === undefined ? [] : stayingOf(job, world.services));
}

function deletionsAsSeen(pods: readonly Pod[]): Write[] {
  return onEach('delete', PODS, pods).map((each) => ({ ...each, asSeen: true }));
}
