/** The first stage of planning: whether Muster manages the job, and whether its manifest is valid. */
import { INVALID_SPEC, isFinished, type JobStatus, timestamp } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { isManagedElsewhere, readJob, runPolicyOf } from '../contract/read-manifest.ts';
import { planRemovalOfPods } from '../children/plan-removal.ts';
import { planFinalize, planToAddFinalizer } from '../finalize/plan-finalize.ts';
import { NO_CHANGE, withAdditions, type Decision } from '../model/decision.ts';
import { generationOf, identityOf } from '../model/job-identity.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { isInvalid, takingBackInvalidSpec, whyInvalid } from '../policies/invalid-spec.ts';
import { planManagedElsewhere } from '../policies/multikueue.ts';
import { planDeferred } from '../policies/other-controller.ts';
import { planTimeToLive } from '../policies/time-to-live.ts';
import { missingReferences, planMissingReferences } from '../policies/missing-references.ts';
import { withCondition } from '../model/conditions.ts';
import { completed } from '../status/job-state.ts';
import { withCreated } from '../status/job-status.ts';
import { withoutUnmetReferences } from './object-references.ts';
import type { Plan } from './plan.ts';
import type { PlanContext } from '../world/plan-context.ts';
import { planOf, withoutStatus } from './plan-of-decision.ts';
import type { World } from '../world/world.ts';

/** A complete plan if the job is not read any further. */
export type Admission =
  { readonly job: TrainingJob; readonly plan?: undefined } | { readonly job?: undefined; readonly plan: Plan };

export function admit(context: PlanContext): Admission {
  const { adapter, world } = context;
  const { manifest } = world;
  if (isManagedElsewhere(adapter, manifest)) {
    return { plan: withoutStatus(planManagedElsewhere(adapter, world), world) };
  }
  const deferring = planDeferred(adapter.lifecycle.otherController, world);
  if (deferring !== undefined) return { plan: withoutStatus(deferring, world) };
  if (manifest.metadata?.deletionTimestamp !== undefined) return { plan: planDeleted(context) };
  const adding = planToAddFinalizer(adapter, manifest);
  return adding === undefined ? admitManifest(context) : { plan: withoutStatus(adding, world) };
}

/** Refused writes are retried and reported, as for other jobs. */
function planDeleted(context: PlanContext): Plan {
  const { adapter, world } = context;
  const decision = planFinalize(adapter, world);
  const { writes } = withoutUnmetReferences(decision, world);
  const isReleased = writes.every(({ op }) => op === 'removeFinalizer');
  return isReleased ? withoutStatus(decision, world) : planOf(context, decision);
}

function admitManifest(context: PlanContext): Admission {
  const { adapter, world } = context;
  const { manifest, nowMs } = world;
  const status = takingBackInvalidSpec(adapter, manifest);
  const life = planTimeToLive({ runPolicy: runPolicyOf(adapter, manifest), status }, nowMs);
  if (isInvalid(status)) {
    const writes = planRemovalOfPods(identityOf(adapter, manifest), world);
    return { plan: planOf(context, withAdditions({ ...NO_CHANGE, writes }, life)) };
  }
  const invalid = whyInvalid(adapter, world, status);
  if (invalid !== undefined) return { plan: planOf(context, planInvalid(context, status, invalid)) };
  const missing = missingReferences(world, status);
  if (missing.length > 0) return { plan: planOf(context, planMissingReferences(context, missing)) };
  const job = isFinished(status) ? readEnded(adapter, world) : readJob(adapter, manifest, world);
  return job === undefined ? { plan: planOf(context, withAdditions(NO_CHANGE, life)) } : { job: { ...job, status } };
}

function planInvalid({ adapter, world }: PlanContext, before: JobStatus, message: string): Decision {
  const { manifest, nowMs } = world;
  const job = identityOf(adapter, manifest);
  const created = withCreated(job, before.conditions ?? [], nowMs);
  const conditions = withCondition(created, { type: 'Failed', reason: INVALID_SPEC, message }, nowMs);
  const { startTime = timestamp(nowMs), ready: _ready, ...kept } = before;
  const status = { ...kept, startTime, conditions, observedGeneration: generationOf(manifest) };
  const after = completed(status, nowMs);
  return { ...NO_CHANGE, status: { before, after }, writes: planRemovalOfPods(job, world) };
}

/** Undefined if the spec is unreadable: another operator ran the job, or it was changed. */
function readEnded(adapter: FrameworkAdapter, world: World): TrainingJob | undefined {
  try {
    return readJob(adapter, world.manifest, world);
  } catch (error) {
    if (adapter.problems(world.manifest).length === 0) throw error;
    return undefined;
  }
}
