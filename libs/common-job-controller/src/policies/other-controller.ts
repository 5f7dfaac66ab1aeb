/**
 * Two controllers would create the same pods and delete each other's. For kinds without a field that assigns a job to one of them, Muster
 * defers to the other for jobs that it has started, and gives it a head start for new ones.
 */
import type { EventReason } from '@muster/job-api';
import type { OtherController } from '../contract/facets.ts';
import { NO_CHANGE, type Decision } from '../model/decision.ts';
import type { World } from '../world/world.ts';

export function planDeferred(other: OtherController | undefined, world: World): Decision | undefined {
  if (other === undefined) return undefined;
  if (other.hasBegun(world.manifest)) return { ...NO_CHANGE, events: startedByOther(other, world) };
  const { metadata, status } = world.manifest;
  // A job that is only planned is not seen by the other controller.
  const isNew = Object.keys(status ?? {}).length === 0 && metadata?.creationTimestamp !== undefined;
  // By the operator's clock only: an API server's clock that is behind would make a job seem older than it is.
  const waitMs = isNew ? other.headStartMs - world.seenForMs : 0;
  return waitMs > 0 ? { ...NO_CHANGE, requeueAfterMs: waitMs } : undefined;
}

function startedByOther({ name, switchOff }: OtherController, { emittedEvents: before }: World) {
  const reason = 'ManagedByOther' satisfies EventReason;
  if (before.has(reason)) return [];
  const note = `${name} has started this job, so Muster does not manage it. To let Muster run such jobs, ${switchOff}, and recreate the job`;
  return [{ type: 'Warning', reason, action: 'Begin', note, dedupKey: reason } as const];
}
