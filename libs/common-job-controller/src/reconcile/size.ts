/** The second stage of planning: the job's size by spec, queue and unapplied changes, its replicas and its gang. */
import { SERVICES, type KubeObject, type Pod } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { elasticStep } from '../elastic/fit-to-capacity.ts';
import { sizedAsGranted, withSize } from '../elastic/granted-size.ts';
import { jobGang } from '../gang/gang-of.ts';
import { rolesWithOwnGroup } from '../gang/own-groups.ts';
import { isControlledBy } from '../model/ownership.ts';
import { asLargeAsItIs, isSizeKnown } from '../replicas/role-size.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { jobServiceName } from '../network/service-network.ts';
import { jobReplicas } from '../replicas/job-replicas.ts';
import { isReleased } from '../pods/stray-pods.ts';
import { whyUnapplied } from '../policies/unapplied-change.ts';
import { queueStep, type QueueStep } from '../queueing/queue-step.ts';
import type { JobPlanContext, PlanContext } from '../world/plan-context.ts';
import type { World } from '../world/world.ts';
import { objectKey, takenKeys } from './object-references.ts';

export interface SizedJob {
  readonly context: JobPlanContext;
  readonly queue: QueueStep;
  /** Sized by spec and queue, regardless of the cluster's capacity. */
  readonly wished: TrainingJob;
  readonly pods: readonly Pod[];
}

export function size(context: PlanContext, read: TrainingJob): SizedJob {
  const { adapter, world, settings } = context;
  const pods = world.pods.filter((pod) => !isReleased(adapter, pod, read));
  const unapplied = whyUnapplied(adapter, world, read);
  const roles = read.roles.map((role) =>
    unapplied === undefined && isSizeKnown(role) ? role : asLargeAsItIs(adapter, read, role, { ...world, pods }),
  );
  const queue = queueStep(context, withServiceName(adapter, { ...read, roles }, world));
  const wished = queue.job;
  const job = sizedAsGranted(adapter, wished);
  const replicas = jobReplicas(adapter, job, pods, world);
  const found = jobGang(job, settings, world, replicas.wanted);
  const withGroups = {
    ...job,
    rolesWithOwnGroup: rolesWithOwnGroup(job, found.gang, world.ownedResources, replicas.wanted),
  };
  const sized = { ...context, ...found, job: withGroups, replicas, queueShortage: queue.lack, unapplied };
  return { context: sized, queue, wished, pods };
}

/** Called by `decide`: only a job that may run is cut to the capacity of the cluster. */
export function fittedToCapacity(context: JobPlanContext, wished: TrainingJob, pods: readonly Pod[]): JobPlanContext {
  const { adapter, job, replicas, world } = context;
  const name = adapter.elastic?.workers?.(job)?.role;
  const role = wished.roles.find((each) => each.name === name);
  if (role === undefined) return context;
  const elastic = elasticStep(adapter, job, replicas.wanted, { wanted: role.replicas, nowMs: world.nowMs });
  if (elastic === undefined || job.roles.some((each) => each.name === name && each.replicas === elastic.size)) {
    return { ...context, elastic };
  }
  const resized = withSize(job, role.name, () => elastic.size);
  const planned = jobReplicas(adapter, resized, pods, world, elastic.deletedFirst);
  return { ...context, elastic, job: resized, replicas: planned };
}

/** For a framework with its own network, finds a free name for the job's Service. */
function withServiceName(adapter: FrameworkAdapter, job: TrainingJob, world: World): TrainingJob {
  const { ownedResources } = adapter;
  if (ownedResources?.inService === undefined) return job;
  const isOwn = (object: KubeObject) => isControlledBy(job.metadata.uid, object);
  const [pods, services] = [world.pods.filter(isOwn), world.services.filter(isOwn)];
  const taken = takenKeys(world);
  const conflictingServices = { has: (name: string) => taken.has(objectKey(SERVICES.kind, name)) };
  const serviceName = jobServiceName(job, { services, pods, conflictingServices });
  return { ...job, options: ownedResources.inService(job.options, serviceName) };
}
