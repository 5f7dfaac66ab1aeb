/**
 * Kinds that another controller runs too, wherever it is at work, and knows no way to leave a job to somebody else. Two controllers would
 * make the same pods and take each other's away. So a job that the other has begun is left alone, and that is said; and a new
 * one is left alone for a moment, in which the other can be seen to begin it.
 */
import type { EventReason } from '@muster/job-api';
import type { OtherController } from '../contract/facets.ts';
import type { JobManifest } from '../model/training-job.ts';
import { NO_CHANGE, type Decision } from '../model/decision.ts';
import type { World } from '../world/world.ts';

/** Undefined where the job is to be run. */
export function planBesideRival(rival: OtherController | undefined, world: World): Decision | undefined {
  if (rival === undefined) return undefined;
  if (rival.hasBegun(world.manifest)) return { ...NO_CHANGE, events: told(rival, world) };
  const waitMs = isNew(world.manifest) ? leftOf(rival, world) : 0;
  return waitMs > 0 ? { ...NO_CHANGE, requeueAfterMs: waitMs } : undefined;
}

function told({ name, switchOff }: OtherController, { emittedEvents: before }: World) {
  const reason = 'BegunByAnother' satisfies EventReason;
  if (before.has(reason)) return [];
  const note = `${name} has begun this job, so Muster leaves it alone. To have Muster run such jobs, ${switchOff}, and make the job anew`;
  return [{ type: 'Warning', reason, action: 'Begin', note, dedupKey: reason } as const];
}

function isNew({ status }: JobManifest): boolean {
  return Object.keys(status ?? {}).length === 0;
}

/**
 * By the operator's clock alone: that of the API server may be behind it, and a job would seem old that the other controller has not
 * seen yet.
 */
function leftOf({ headStartMs }: OtherController, { manifest, seenForMs }: World): number {
  // One that is planned before it is made has no rival.
  return manifest.metadata?.creationTimestamp === undefined ? 0 : Math.max(0, headStartMs - seenForMs);
}
