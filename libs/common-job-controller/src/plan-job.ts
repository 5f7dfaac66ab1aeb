/**
 * The whole behaviour of a job: World in, Plan out, and nothing else. The same World always gives the same Plan, so a
 * case is a table row, and anyone can print the Plan of a manifest without a cluster.
 */
import type { FrameworkAdapter, JobManifest, TrainingJob } from './adapter.ts';
import { boundedPlan } from './bounded-plan.ts';
import { planCleanUp } from './children.ts';
import { isFinished } from './conditions.ts';
import { withCreateFailures } from './create-failures.ts';
import { isInvalid, planInvalid, planKnownInvalid, takingBackInvalidSpec, whyInvalid } from './invalid-spec.ts';
import { identityOf } from './job-identity.ts';
import { jobReplicas, type JobReplicas } from './job-replicas.ts';
import { completed } from './job-status.ts';
import { hasReachedEnd } from './outcome.ts';
import { ignoredTimeout, lostNodePods } from './lost-nodes.ts';
import { isStray, ownershipOf } from './ownership.ts';
import { planActive } from './plan-active.ts';
import { NOTHING_TO_DO, type Plan } from './plan.ts';
import { earliest } from './requeue.ts';
import { asLargeAsItIs, isSizeKnown } from './role-size.ts';
import { planSuspended } from './suspension.ts';
import { endOf, planTimeToLive } from './time-to-live.ts';
import { statusChange } from './transitions.ts';
import { planUnapplied, whyUnapplied } from './unapplied-change.ts';
import { isMadeByWorkload, ownWorkloads } from './workloads.ts';
import type { PlanSettings, World } from './world.ts';

export function planJob(adapter: FrameworkAdapter, world: World, settings: PlanSettings): Plan {
  return boundedPlan(wholePlan(adapter, world, settings), settings.writesPerPass ?? Infinity);
}

function wholePlan(adapter: FrameworkAdapter, world: World, settings: PlanSettings): Plan {
  const { manifest } = world;
  if (isLeftAlone(adapter, manifest)) return NOTHING_TO_DO;
  return withCreateFailures(planOfState(adapter, world, settings), world);
}

function planOfState(adapter: FrameworkAdapter, world: World, settings: PlanSettings): Plan {
  const { manifest } = world;
  const status = takingBackInvalidSpec(adapter, manifest);
  if (isInvalid(status)) return planKnownInvalid(adapter, world, status);
  const invalid = whyInvalid(adapter, world, status);
  if (invalid !== undefined) return planInvalid(adapter, world, status, invalid);

  const read: TrainingJob = { ...identityOf(adapter, manifest), ...adapter.read(manifest), status };
  return withForcedDeletions(planValid(adapter, read, world, settings), read, world);
}

function planValid(adapter: FrameworkAdapter, read: TrainingJob, world: World, settings: PlanSettings): Plan {
  const { status } = read;
  const pods = world.pods.filter((pod) => !isStray(pod, read));
  const why = whyUnapplied(adapter, world, read);
  const roles = read.roles.map((role) =>
    why === undefined && isSizeKnown(role) ? role : asLargeAsItIs(adapter, read, role, { ...world, pods }),
  );
  const job = { ...read, roles };
  const replicas = jobReplicas(adapter, job, pods, world.companions);
  if (isFinished(status)) return planFinished(adapter, job, world, replicas);
  // An end that the pods have reached before they were told to go is no other for a suspension.
  if (job.runPolicy.suspend && !hasReachedEnd(adapter, job, replicas)) {
    return planSuspended(adapter, job, world, settings);
  }
  if (why !== undefined) return planUnapplied(adapter, job, world, settings, { replicas, why });
  return planActive(adapter, job, world, settings, replicas);
}

/** Whatever the job has come to: a pod on a lost node keeps its name, and what it holds, in every state. */
function withForcedDeletions(plan: Plan, job: TrainingJob, world: World): Plan {
  const { lostNodes, told, nowMs } = world;
  const workloads = ownWorkloads(job, world.companions);
  const own = world.pods.filter(
    (pod) => ownershipOf(pod, job.metadata.uid) === 'owned' || isMadeByWorkload(pod, workloads),
  );
  const { forced, requeueAfterMs } = lostNodePods(job.runPolicy, own, lostNodes, nowMs);
  return {
    ...plan,
    forced,
    events: [...plan.events, ...ignoredTimeout(job.runPolicy, lostNodes, told)],
    requeueAfterMs: earliest(plan.requeueAfterMs, requeueAfterMs),
  };
}

/** Also of a job that ended under another operator, whose status lacks what Muster shows. */
function planFinished(adapter: FrameworkAdapter, job: TrainingJob, world: World, replicas: JobReplicas): Plan {
  const { manifest, nowMs } = world;
  const shown = job.status.state === undefined ? completed(job.status, endOf(job.status) ?? nowMs) : job.status;
  return {
    ...planCleanUp(adapter, job, world, replicas),
    ...planTimeToLive(job, nowMs),
    ...statusChange(manifest, job.status, shown),
  };
}

/** A job that is going away, or that somebody else runs (`managedBy`): not even its status is ours to write. */
function isLeftAlone({ managers }: FrameworkAdapter, { metadata, spec }: JobManifest): boolean {
  const managedBy = spec?.runPolicy?.managedBy;
  return metadata?.deletionTimestamp !== undefined || (managedBy !== undefined && !managers.includes(managedBy));
}
