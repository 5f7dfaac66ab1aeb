/**
 * The whole behaviour of a job: World in, Plan out, and nothing else. The same World always gives the same Plan, so a
 * case is a table row, and anyone can print the Plan of a manifest without a cluster.
 */
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobManifest, TrainingJob } from '../model/training-job.ts';
import { boundedPlan } from './bounded-plan.ts';
import { planCleanUp } from './plan-children.ts';
import { isFinished } from '../status/conditions.ts';
import { withCreateFailures } from './create-failures.ts';
import {
  isInvalid,
  planInvalid,
  planKnownInvalid,
  takingBackInvalidSpec,
  whyInvalid,
} from '../policies/invalid-spec.ts';
import { identityOf } from '../model/job-identity.ts';
import { jobReplicas, type JobReplicas } from '../pods/job-replicas.ts';
import { completed } from '../status/job-status.ts';
import { hasReachedEnd } from '../status/outcome.ts';
import { withForcedDeletions } from '../policies/lost-nodes.ts';
import { isStray } from '../model/ownership.ts';
import { planActive } from './plan-active.ts';
import { NOTHING_TO_DO, type Plan } from './plan.ts';
import { asLargeAsItIs, isSizeKnown } from '../model/role-size.ts';
import { planSuspended } from '../policies/suspension.ts';
import { endOf, planTimeToLive } from '../policies/time-to-live.ts';
import { statusChange } from '../status/transitions.ts';
import { planUnapplied, whyUnapplied } from '../policies/unapplied-change.ts';
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

  const readable = isFinished(status) ? readEnded(adapter, manifest) : adapter.read(manifest);
  if (readable === undefined) {
    return { ...NOTHING_TO_DO, ...planTimeToLive({ runPolicy: manifest.spec?.runPolicy ?? {}, status }, world.nowMs) };
  }
  const read: TrainingJob = { ...identityOf(adapter, manifest), ...readable, status };
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
  const replicas = jobReplicas(adapter, job, pods, world);
  if (isFinished(status)) return planFinished(adapter, job, world, replicas);
  // An end that the pods have reached before they were told to go is no other for a suspension.
  if (job.runPolicy.suspend && !hasReachedEnd(adapter, job, replicas)) {
    return planSuspended(adapter, job, world, settings);
  }
  if (why !== undefined) return planUnapplied(adapter, job, world, settings, { replicas, why });
  return planActive(adapter, job, world, settings, replicas);
}

/**
 * Undefined of a job that has ended and whose spec cannot be read: another operator has run it, or it was changed since. All that is
 * left to do for it is to delete it in time.
 */
function readEnded(adapter: FrameworkAdapter, manifest: JobManifest): ReturnType<FrameworkAdapter['read']> | undefined {
  try {
    return adapter.read(manifest);
  } catch (error) {
    if (adapter.problems(manifest).length === 0) throw error;
    return undefined;
  }
}

/** Also of a job that ended under another operator, whose status lacks what Muster shows. */
function planFinished(adapter: FrameworkAdapter, job: TrainingJob, world: World, replicas: JobReplicas): Plan {
  const { manifest, nowMs } = world;
  const life = planTimeToLive(job, nowMs);
  const isShown = job.status.state !== undefined || life.deleteJob;
  // Nobody reads the status of a job that goes, and to write it would change the version that is to be deleted.
  const shown = isShown ? job.status : completed(job.status, endOf(job.status) ?? nowMs);
  return {
    ...planCleanUp(adapter, job, world, replicas),
    ...life,
    ...statusChange(manifest, job.status, shown),
  };
}

/** A job that is going away, or that somebody else runs (`managedBy`): not even its status is ours to write. */
function isLeftAlone({ managers }: FrameworkAdapter, { metadata, spec }: JobManifest): boolean {
  const managedBy = spec?.runPolicy?.managedBy;
  return metadata?.deletionTimestamp !== undefined || (managedBy !== undefined && !managers.includes(managedBy));
}
