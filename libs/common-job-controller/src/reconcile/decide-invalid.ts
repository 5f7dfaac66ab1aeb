import { INVALID_SPEC, type JobStatus } from '@muster/job-api';
import { planRemovalOfPods } from '../children/plan-removal.ts';
import { runPolicyOf } from '../contract/read-manifest.ts';
import { timestamp, withCondition } from '../model/conditions.ts';
import { NO_CHANGE, withAdditions, type Decision } from '../model/decision.ts';
import { generationOf, identityOf } from '../model/job-identity.ts';
import { planTimeToLive } from '../policies/time-to-live.ts';
import { completed } from '../status/job-state.ts';
import { withCreated } from '../status/job-status.ts';
import type { PlanContext } from '../world/plan-context.ts';

export function planInvalid({ adapter, world }: PlanContext, before: JobStatus, message: string): Decision {
  const { manifest, nowMs } = world;
  const job = identityOf(adapter, manifest);
  const created = withCreated(job, before.conditions ?? [], nowMs);
  const conditions = withCondition(created, { type: 'Failed', reason: INVALID_SPEC, message }, nowMs);
  const { startTime = timestamp(nowMs), ready: _ready, ...kept } = before;
  const status = { ...kept, startTime, conditions, observedGeneration: generationOf(manifest) };
  return {
    ...NO_CHANGE,
    status: { before, after: completed(status, nowMs) },
    writes: planRemovalOfPods(job, world),
  };
}

export function planKnownInvalid({ adapter, world }: PlanContext, status: JobStatus): Decision {
  const { manifest } = world;
  const life = planTimeToLive({ runPolicy: runPolicyOf(adapter, manifest), status }, world.nowMs);
  const removal = planRemovalOfPods(identityOf(adapter, manifest), world);
  return withAdditions({ ...NO_CHANGE, writes: removal }, life);
}
