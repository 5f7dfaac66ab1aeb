/**
 * Planning throws through a defect of Muster or a manifest that no rule covers. The job's objects stay unchanged. It is
 * planned again when it changes, and periodically, since a newer operator may succeed.
 */
import type { EventReason } from '@muster/job-api';
import { statusOf } from '../contract/read-manifest.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { generationOf, identityOf } from '../model/job-identity.ts';
import { timestamp } from '../model/conditions.ts';
import { completed } from '../status/job-state.ts';
import { withCreated } from '../status/job-status.ts';
import { planJob } from './plan-job.ts';
import { NO_CHANGE } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { Plan } from './plan.ts';
import { withStatus } from './plan-of-decision.ts';
import { withReplicaFailure } from '../status/replica-failure.ts';
import type { PlanSettings, World } from '../world/world.ts';

const LOOK_AGAIN_MS = 10 * 60_000;

export function planningFailure(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return `Muster cannot plan this job: ${text}. None of its objects is created or changed. Check the spec for mistakes, and report this error`;
}

export interface PlanOrFailure {
  readonly plan: Plan;
  readonly thrown?: { readonly error: unknown };
}

export function planOrFailure(adapter: FrameworkAdapter, world: World, settings: PlanSettings): PlanOrFailure {
  try {
    return { plan: planJob(adapter, world, settings) };
  } catch (error) {
    return { plan: planForFailure(adapter, world, error), thrown: { error } };
  }
}

function planForFailure(adapter: FrameworkAdapter, world: World, error: unknown): Plan {
  const { manifest, nowMs, emittedEvents } = world;
  const message = planningFailure(error);
  const before = statusOf(adapter, manifest);
  const conditions = withCreated(identityOf(adapter, manifest), before.conditions ?? [], nowMs);
  const { startTime = timestamp(nowMs) } = before;
  const status = completed({ ...before, startTime, conditions }, nowMs);
  const after = withReplicaFailure(status, { reason: 'PlanningFailed', message }, nowMs);
  const dedupKey = `${generationOf(manifest)}: ${message}`;
  const reason: EventReason = 'PlanningFailed';
  const event: PlannedEvent = { type: 'Warning', reason, note: message, action: 'Plan', dedupKey };
  const events = emittedEvents.has(dedupKey) ? [] : [event];
  return withStatus(
    { adapter, world },
    { ...NO_CHANGE, status: { before, after }, events, requeueAfterMs: LOOK_AGAIN_MS },
  );
}
