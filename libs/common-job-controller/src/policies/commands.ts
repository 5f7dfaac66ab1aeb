/** What others ask of a job by objects of their own: one at a time, in the order in which they came. */
import type { EventReason } from '@muster/job-api';
import { momentOf } from '../model/moment-of.ts';
import { deletion } from '../owned-resources/plan-owned-resources.ts';
import { ownResources, type OwnedResource } from '../owned-resources/owned-resources.ts';
import type { JobPassContext } from '../reconcile/pass-context.ts';
import { NOTHING_TO_DO, toEmit, type Plan } from '../reconcile/plan.ts';
import { statusChange } from '../status/transitions.ts';
import { statusOf } from '../contract/read-manifest.ts';

/** Undefined where nothing is asked. Else that is all that the pass does: the next one acts upon what is on record then. */
export function planCommand({ adapter, job, world }: JobPassContext): Plan | undefined {
  const { commands } = adapter;
  if (commands === undefined) return undefined;
  const [first] = ownResources(job, world.ownedResources)
    .filter(({ kind }) => kind.resource === commands.kind.resource)
    .sort((a, b) => madeMs(a) - madeMs(b));
  if (first === undefined) return undefined;
  const { status, note } = commands.follow(job.status, first.object);
  const news =
    status === undefined
      ? ({ type: 'Warning', reason: 'CommandIgnored' satisfies EventReason } as const)
      : ({ type: 'Normal', reason: 'CommandIssued' satisfies EventReason } as const);
  return {
    ...NOTHING_TO_DO,
    operations: [
      ...(status === undefined ? [] : statusChange(statusOf(adapter, world.manifest), job.status, status)),
      ...toEmit([{ ...news, note, action: 'FollowCommand' }]),
      deletion(first),
    ],
  };
}

function madeMs({ object }: OwnedResource): number {
  return momentOf(object.metadata?.creationTimestamp) ?? 0;
}
