/** The last stage of planning: the ordered and limited writes of this run. */
import { momentOf } from '@muster/job-api';
import { withTimeAccounts } from '@muster/time-accounts';
import { statusOf } from '../contract/read-manifest.ts';
import type { Decision, StatusDecision } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import { mergePatch } from '../model/merge-patch.ts';
import { isControlledBy } from '../model/ownership.ts';
import { podHolds } from '../pods/pod-holds.ts';
import { statusWrite, type ReadJob } from '../status/stored-status.ts';
import { statusEvents } from '../status/transitions.ts';
import { boundedPlan } from './bounded-plan.ts';
import { withoutUnmetReferences } from './object-references.ts';
import type { PlanContext } from '../world/plan-context.ts';
import type { Plan } from './plan.ts';
import { withWriteFailures } from './write-failures.ts';
import { inOrder } from './write-order.ts';
import type { World } from '../world/world.ts';

/** @param read undefined if the manifest cannot be read */
export function planOf(context: PlanContext, decision: Decision, read?: ReadJob): Plan {
  const { adapter, world, settings } = context;
  const { due, open } = withWriteFailures(adapter, withoutUnmetReferences(decision, world), world);
  const plan = withStatus(context, due, read);
  return boundedPlan({ ...plan, pendingWrites: open }, settings.writesPerRun ?? Infinity);
}

/** Also for jobs whose planning failed, so it only reads the stored status. */
export function withStatus(context: Omit<PlanContext, 'settings'>, decision: Decision, read?: ReadJob): Plan {
  const { adapter, world } = context;
  const decided = withAccounts(context, decision.status, read);
  const plan = withoutStatus(decision, world);
  const status = statusWrite(adapter, decided, world, read);
  return {
    ...plan,
    ...(status && { status }),
    events: [...(decided === undefined ? [] : statusEvents(decided)), ...plan.events],
  };
}

/** Only a status that changes anyway gets new time accounts. */
function withAccounts(
  { adapter, world }: Omit<PlanContext, 'settings'>,
  decided: StatusDecision | undefined,
  read: ReadJob | undefined,
): StatusDecision | undefined {
  if (decided === undefined || read === undefined) return decided;
  const { before, after } = decided;
  if (mergePatch(statusOf(adapter, world.manifest), after) === undefined) return decided;
  const { job, replicas } = read;
  const { metadata, roles, runPolicy } = job;
  const createdMs = momentOf(metadata.creationTimestamp);
  if (createdMs === undefined || roles.length === 0) return decided;
  const pods = [...world.pods, ...(world.deletedPods ?? [])].filter((pod) => isControlledBy(metadata.uid, pod));
  const { progressDeadlineSeconds } = runPolicy;
  const timed = {
    createdMs,
    nowMs: world.nowMs,
    replicas,
    holds: podHolds(adapter, job, pods),
    progressDeadlineSeconds,
  };
  return { ...decided, after: withTimeAccounts(timed, before, after) };
}

export function withoutStatus(decision: Decision, { emittedEvents }: World): Plan {
  const { events, writes, shortages, status: _status, isPartial: _isPartial, ...when } = decision;
  const isNew = ({ dedupKey }: PlannedEvent) => dedupKey === undefined || !emittedEvents.has(dedupKey);
  return { ...when, events: events.filter(isNew), writes: inOrder(writes), pendingWrites: [], shortages };
}
