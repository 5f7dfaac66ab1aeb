/** The behaviour of a job as a pure function: a manifest's Plan can be tested and printed without a cluster. */
import { isFinished } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { NO_CHANGE, withAdditions, type Decision } from '../model/decision.ts';
import { planCommand } from '../policies/commands.ts';
import { forcedDeletions } from '../policies/lost-nodes.ts';
import { holdOf } from '../policies/suspension.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { hasReachedEnd } from '../status/outcome.ts';
import { admit } from './admit.ts';
import { decideFinished } from './decide-finished.ts';
import { decideRunning } from './decide-running.ts';
import { decideSuspended } from './decide-suspended.ts';
import { decideUnapplied } from './decide-unapplied.ts';
import type { Plan } from './plan.ts';
import { planOf } from './plan-of-decision.ts';
import { fittedToCapacity, size, type SizedJob } from './size.ts';
import type { PlanSettings, World } from '../world/world.ts';

export function planJob(adapter: FrameworkAdapter, world: World, settings: PlanSettings): Plan {
  const context = { adapter, world, settings };
  const { plan, job } = admit(context);
  if (plan !== undefined) return plan;
  const sized = size(context, job);
  const { decision, replicas } = decide(sized);
  return planOf(context, withAdditions(decision, forcedDeletions(job, world)), { job, replicas });
}

interface Decided {
  readonly decision: Decision;
  /** As shown in the status: none for a suspended job. */
  readonly replicas: readonly ReplicaPod[];
}

function decide({ context, queue, wished, pods }: SizedJob): Decided {
  const { adapter, job, world } = context;
  const { wanted } = context.replicas;
  const command = planCommand(context);
  if (command.decision !== undefined) {
    return { decision: command.decision, replicas: job.runPolicy.suspend ? [] : wanted };
  }
  const withQueue = (decision: Decision): Decision =>
    withAdditions(decision, {
      ...(queue.events && { events: queue.events }),
      writes: [...command.deletions, ...queue.writes(wanted)],
      requeueAfterMs: queue.recheckAfterMs,
    });
  if (isFinished(job.status)) return { decision: withQueue(decideFinished(context)), replicas: wanted };
  if (queue.pauseMs !== undefined) {
    return { decision: { ...NO_CHANGE, isPartial: true, requeueAfterMs: queue.pauseMs }, replicas: wanted };
  }
  const hold = holdOf(job, queue);
  // A suspension does not change an end that the pods reached before.
  if (hold !== undefined && !hasReachedEnd(adapter, job, context.replicas, world)) {
    return { decision: withQueue(decideSuspended(context, hold)), replicas: [] };
  }
  if (context.unapplied !== undefined) return { decision: withQueue(decideUnapplied(context)), replicas: wanted };
  const fitted = fittedToCapacity(context, wished, pods);
  return { decision: withQueue(decideRunning(fitted)), replicas: fitted.replicas.wanted };
}
