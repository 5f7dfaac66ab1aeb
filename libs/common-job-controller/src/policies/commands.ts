/** Executes users' command objects, one at a time, in the order of their creation. */
import { type EventReason, momentOf } from '@muster/job-api';
import { deletion } from '../owned-resources/plan-owned-resources.ts';
import { ownResources, type OwnedResource } from '../model/owned-resources.ts';
import { completed } from '../status/job-state.ts';
import type { JobPlanContext } from '../world/plan-context.ts';
import { NO_CHANGE, type Decision } from '../model/decision.ts';
import type { Write } from '../model/write.ts';

interface CommandStep {
  /** Replaces all other decisions of this run. The next run continues from the recorded status. */
  readonly decision?: Decision;
  readonly deletions: readonly Write[];
}

/** The operator may be killed between any two writes, so a recorded command is not executed again. */
export function planCommand({ adapter, job, world }: JobPlanContext): CommandStep {
  const { commands } = adapter;
  if (commands === undefined) return { deletions: [] };
  const own = ownResources(job, world.ownedResources)
    .filter(({ kind }) => kind.resource === commands.kind.resource)
    .sort((a, b) => madeMs(a) - madeMs(b));
  const isKnown = ({ object }: OwnedResource) => commands.isOnRecord(job.status, object);
  const deletions = own.filter(isKnown).map(deletion);
  const first = own.find((command) => !isKnown(command));
  if (first === undefined) return { deletions };
  const { status, note, isIgnored } = commands.follow(job.status, first.object);
  const news = isIgnored
    ? ({ type: 'Warning', reason: 'CommandIgnored' satisfies EventReason } as const)
    : ({ type: 'Normal', reason: 'CommandIssued' satisfies EventReason } as const);
  const decision = {
    ...NO_CHANGE,
    isPartial: true,
    // A status without a state would look like one of which another operator's CRD has dropped fields.
    status: { before: job.status, after: status.state === undefined ? completed(status, world.nowMs) : status },
    events: [{ ...news, note, action: 'FollowCommand' }],
    writes: [deletion(first), ...deletions],
  };
  return { decision, deletions };
}

function madeMs({ object }: OwnedResource): number {
  return momentOf(object.metadata?.creationTimestamp) ?? 0;
}
