/**
 * The whole behaviour of a job: World in, Plan out, and nothing else. The same World always gives the same Plan, so a
 * case is a table row, and anyone can print the Plan of a manifest without a cluster.
 */
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { readJob, runPolicyOf, statusOf } from '../contract/read-manifest.ts';
import { lacksFinalizer, planFinalize, planToAddFinalizer } from '../finalize/plan-finalize.ts';
import { missingReferences, planMissingReferences } from '../references/missing-references.ts';
import { withStoredStatus, type ReadJob } from '../status/stored-status.ts';
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
  if (isManagedElsewhere(adapter, manifest)) return NOTHING_TO_DO;
  if (manifest.metadata?.deletionTimestamp !== undefined) return planFinalize(adapter, world);
  if (lacksFinalizer(adapter, manifest)) return planToAddFinalizer(adapter);
  const { plan, read } = planOfState(adapter, world, settings);
  return withStoredStatus(adapter, withCreateFailures(adapter, plan, world), world, read);
}

interface PlanOfState {
  readonly plan: Plan;
  /** Undefined where the manifest cannot be read. */
  readonly read?: ReadJob;
}

function planOfState(adapter: FrameworkAdapter, world: World, settings: PlanSettings): PlanOfState {
  const { manifest, references } = world;
  const status = takingBackInvalidSpec(adapter, manifest);
  if (isInvalid(status)) return { plan: planKnownInvalid(adapter, world, status) };
  const invalid = whyInvalid(adapter, world, status);
  if (invalid !== undefined) return { plan: planInvalid(adapter, world, status, invalid) };
  const missing = missingReferences(world, status);
  if (missing.length > 0) return { plan: planMissingReferences(adapter, world, missing) };

  const readable = isFinished(status) ? readEnded(adapter, world) : readJob(adapter, manifest, references);
  if (readable === undefined) {
    const life = planTimeToLive({ runPolicy: runPolicyOf(adapter, manifest), status }, world.nowMs);
    return { plan: { ...NOTHING_TO_DO, ...life } };
  }
  const job = { ...readable, status };
  const { plan, replicas } = planValid(adapter, job, world, settings);
  return { plan: withForcedDeletions(plan, job, world), read: { job, replicas: replicas.wanted } };
}

function planValid(
  adapter: FrameworkAdapter,
  read: TrainingJob,
  world: World,
  settings: PlanSettings,
): { readonly plan: Plan; readonly replicas: JobReplicas } {
  const { status } = read;
  const pods = world.pods.filter((pod) => !isStray(pod, read));
  const why = whyUnapplied(adapter, world, read);
  const roles = read.roles.map((role) =>
    why === undefined && isSizeKnown(role) ? role : asLargeAsItIs(adapter, read, role, { ...world, pods }),
  );
  const job = { ...read, roles };
  const replicas = jobReplicas(adapter, job, pods, world);
  if (isFinished(status)) return { plan: planFinished(adapter, job, world, replicas), replicas };
  // An end that the pods have reached before they were told to go is no other for a suspension.
  if (job.runPolicy.suspend && !hasReachedEnd(adapter, job, replicas, world)) {
    return { plan: planSuspended(adapter, job, world, settings), replicas: { wanted: [], surplus: [] } };
  }
  const plan =
    why === undefined
      ? planActive(adapter, job, world, settings, replicas)
      : planUnapplied(adapter, job, world, settings, { replicas, why });
  return { plan, replicas };
}

/**
 * Undefined of a job that has ended and whose spec cannot be read: another operator has run it, or it was changed since. All that is
 * left to do for it is to delete it in time.
 */
function readEnded(adapter: FrameworkAdapter, { manifest, references }: World): TrainingJob | undefined {
  try {
    return readJob(adapter, manifest, references);
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
    ...statusChange(statusOf(adapter, manifest), job.status, shown),
  };
}

/** Not even its status is ours to write. */
export function isManagedElsewhere(adapter: FrameworkAdapter, manifest: JobManifest): boolean {
  const { managedBy } = runPolicyOf(adapter, manifest);
  return managedBy !== undefined && !adapter.lifecycle.managers.includes(managedBy);
}
