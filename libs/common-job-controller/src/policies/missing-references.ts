import { type EventReason, isFinished, type JobStatus } from '@muster/job-api';
import { statusOf } from '../contract/read-manifest.ts';
import { generationOf, identityOf } from '../model/job-identity.ts';
import type { PlanContext } from '../world/plan-context.ts';
import { NO_CHANGE, type Decision } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { World } from '../world/world.ts';
import { hasStarted } from '../model/conditions.ts';
import { completed } from '../status/job-state.ts';
import { withCreated } from '../status/job-status.ts';
import type { Referenced } from '../model/reference.ts';

/** A started job has been read with its references, and continues. */
export function missingReferences({ references }: World, status: JobStatus): Referenced[] {
  if (isFinished(status) || hasStarted(status)) return [];
  return references.filter(({ isRequired, object }) => isRequired && object === undefined);
}

export function planMissingReferences({ adapter, world }: PlanContext, missing: readonly Referenced[]): Decision {
  const { manifest, nowMs, emittedEvents } = world;
  const before = statusOf(adapter, manifest);
  const conditions = withCreated(identityOf(adapter, manifest), before.conditions ?? [], nowMs);
  const after = completed({ ...before, conditions, observedGeneration: generationOf(manifest) }, nowMs);
  const reason = 'ReferenceNotFound' satisfies EventReason;
  const shortages = missing.map((each) => ({ reason, message: notFound(each) }) as const);
  const events = shortages.flatMap(({ message }): PlannedEvent[] => {
    const dedupKey = `${reason} ${message}`;
    if (emittedEvents.has(dedupKey)) return [];
    return [{ type: 'Warning', reason, note: message, action: 'Validate', dedupKey }];
  });
  return { ...NO_CHANGE, status: { before, after }, events, shortages };
}

function notFound({ resource, namespace, name, path }: Referenced): string {
  const which = namespace === undefined ? name : `${namespace}/${name}`;
  return `${path}: there is no ${resource.kind} ${which}: create it, or use another one. The job starts when it exists`;
}
