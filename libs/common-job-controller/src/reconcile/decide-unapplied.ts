/**
 * After an invalid change of a running job, nothing is created, changed or deleted until it is corrected, but the status follows the pods.
 * A kind that applies its last spec (`Lifecycle.appliesLastSpec`) continues with that. `status.observedGeneration` stays, so that a
 * restarted operator rejects the change, too.
 */
import { type EventReason, isFinished } from '@muster/job-api';
import { NO_CHANGE, type Decision } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import { generationOf } from '../model/job-identity.ts';
import { unappliedMessage } from '../policies/unapplied-change.ts';
import { decideRunning } from './decide-running.ts';
import type { JobPlanContext } from '../world/plan-context.ts';

export function decideUnapplied(context: JobPlanContext): Decision {
  const { adapter, world, unapplied = '' } = context;
  const reason = 'InvalidChange' satisfies EventReason;
  const dedupKey = `${reason} ${generationOf(world.manifest)}`;
  const note = unappliedMessage(unapplied);
  const event: PlannedEvent = { type: 'Warning', reason, note, action: 'Validate', dedupKey };
  const decision = decideRunning(context);
  const events = [...decision.events, event];
  const { status, requeueAfterMs } = decision;
  const hasEnded = status !== undefined && isFinished(status.after);
  if (hasEnded || adapter.lifecycle.appliesLastSpec === true) return { ...decision, events };
  return { ...NO_CHANGE, ...(status && { status }), events, requeueAfterMs };
}
