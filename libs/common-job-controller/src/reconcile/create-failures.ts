/**
 * Objects that a job lacks because they could not be made for now: refused by a policy, a webhook or a quota, or under a name
 * that somebody else holds. None of that ends a job. It is told in the condition ReplicaFailure, tried again at growing
 * intervals, and the condition goes when nothing is missing any more.
 */
import type { JobStatus } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { statusOf } from '../contract/read-manifest.ts';
import { generationOf } from '../model/job-identity.ts';
import { operationsOf, plannedStatus, type Operation, type Plan } from './plan.ts';
import { withReplicaFailure, type Shortage } from '../status/replica-failure.ts';
import { earliest } from './requeue.ts';
import { isWorkload } from '../workloads/workloads.ts';
import type { CreateFailure, World } from './world.ts';

const FIRST_WAIT_MS = 2000;
const LONGEST_WAIT_MS = 30_000;
/** By then it is not a matter of seconds. */
const PATIENCE_MS = 5 * 60_000;
const LONG_WAIT_MS = 3 * 60_000;

/** How long to wait after so many failures in a row, the first of which was `sinceMs` ago. */
export function createRetryMs(failures: number, sinceMs: number): number {
  if (sinceMs >= PATIENCE_MS) return LONG_WAIT_MS;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
}

/** `plan` less what is not to be tried yet, and with the condition that says what the job lacks and why. */
export function withCreateFailures(adapter: FrameworkAdapter, plan: Plan, world: World): Plan {
  const kinds = kindsMissing(plan);
  const failures = world.createFailures.filter(({ kind }) => kinds.has(kind));
  const generation = generationOf(world.manifest);
  const waiting = failures.filter((failure) => failure.waitMs > 0 && failure.generation === generation);
  const status = plannedStatus(plan) ?? statusOf(adapter, world.manifest);
  const told = shortageOf(plan.lacks.because, failures);
  const shown = withReplicaFailure(status, told ?? (kinds.size > 0 ? 'as before' : undefined), world.nowMs);
  const due = heldBack(plan, waiting);
  return {
    ...due,
    ...(shown !== status && { operations: withStatus(due.operations, shown) }),
    lacks: { ...plan.lacks, kinds: [...kinds] },
  };
}

/** The kinds of which the plan makes something. */
function kindsMissing(plan: Plan): Set<string> {
  const made = [...operationsOf(plan, 'ensure'), ...operationsOf(plan, 'create')];
  return new Set(made.map(({ resource }) => resource.kind));
}

function withStatus(operations: readonly Operation[], status: JobStatus): Operation[] {
  const [planned = { op: 'status', counters: [], latencies: [] }] = operationsOf({ operations }, 'status');
  return [{ ...planned, status }, ...operations.filter(({ op }) => op !== 'status')];
}

function shortageOf(planned: readonly Shortage[], failures: readonly CreateFailure[]): Shortage | undefined {
  const needed = failures.filter(({ isOptional }) => !isOptional);
  const optional = failures.filter(({ isOptional }) => isOptional);
  const [first, ...others] = [...needed, ...planned, ...optional];
  if (first === undefined) return undefined;
  return { reason: first.reason, message: [first, ...others].map(({ message }) => message).join('. ') };
}

/** What can be done without waits for itself alone; for all else everything waits. */
function heldBack(plan: Plan, waiting: readonly CreateFailure[]): Plan {
  if (waiting.length === 0) return plan;
  const isForAll = waiting.some(({ isOptional }) => !isOptional);
  const kinds = new Set(waiting.map(({ kind }) => kind));
  const isDue = (operation: Operation) => {
    switch (operation.op) {
      case 'ensure':
      case 'create':
        return !isForAll && !kinds.has(operation.resource.kind);
      case 'patch':
        // A workload makes pods as soon as it is resumed.
        return !isForAll || !isWorkload(operation.resource);
      default:
        return true;
    }
  };
  return {
    ...plan,
    operations: plan.operations.filter(isDue),
    requeueAfterMs: earliest(plan.requeueAfterMs, ...waiting.map(({ waitMs }) => waitMs)),
  };
}
