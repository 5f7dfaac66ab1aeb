/**
 * Planning throws through a defect of Muster or a manifest that no rule covers. The job's objects stay unchanged. It is
 * planned again when it changes, and periodically, since a newer operator may succeed.
 */
import { type EventReason, timestamp } from '@muster/job-api';
import { statusOf } from '../contract/read-manifest.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { generationOf, identityOf } from '../model/job-identity.ts';
import { completed } from '../status/job-state.ts';
import { withCreated } from '../status/job-status.ts';
import { planJob } from './plan-job.ts';
import { NO_CHANGE } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { Plan } from './plan.ts';
import { withStatus } from './plan-of-decision.ts';
import { messageOf } from './refusals.ts';
import { withReplicaFailure } from '../status/replica-failure.ts';
import type { PlanSettings, World } from '../world/world.ts';

const LOOK_AGAIN_MS = 10 * 60_000;

export const PLANNING_FAILED = 'PlanningFailed' satisfies EventReason;

export function planningFailure(error: unknown): string {
  return `Muster cannot plan this job: ${messageOf(error)}. None of its objects is created or changed. Check the spec for mistakes, and report this error`;
}

export function planOrFailure(
  adapter: FrameworkAdapter,
  world: World,
  settings: PlanSettings,
): { readonly plan: Plan; readonly thrown?: { readonly error: unknown } } {
  try {
    return { plan: planJob(adapter, world, settings) };
  } catch (error) {
    return { plan: planForFailure(adapter, world, error), thrown: { error } };
  }
}

function planForFailure(adapter: FrameworkAdapter, world: World, error: unknown): Plan {
  const { manifest, nowMs } = world;
  const message = planningFailure(error);
  const before = statusOf(adapter, manifest);
  const conditions = withCreated(identityOf(adapter, manifest), before.conditions ?? [], nowMs);
  const { startTime = timestamp(nowMs) } = before;
  const status = completed({ ...before, startTime, conditions }, nowMs);
  const after = withReplicaFailure(status, { reason: PLANNING_FAILED, message }, nowMs);
  const dedupKey = `${generationOf(manifest)}: ${message}`;
  const event: PlannedEvent = { type: 'Warning', reason: PLANNING_FAILED, note: message, action: 'Plan', dedupKey };
  const decision = { ...NO_CHANGE, status: { before, after }, events: [event], requeueAfterMs: LOOK_AGAIN_MS };
  return withStatus({ adapter, world }, decision);
}
