/**
 * Objects that a job lacks because they could not be made for now: refused by a policy, a webhook or a quota, or under a name
 * that somebody else holds. None of that ends a job. It is told in the condition ReplicaFailure, tried again at growing
 * intervals, and the condition goes when nothing is missing any more.
 */
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { statusOf } from '../contract/read-manifest.ts';
import { generationOf } from '../model/job-identity.ts';
import type { Plan } from './plan.ts';
import { withReplicaFailure, type Shortage } from '../status/replica-failure.ts';
import { earliest } from './requeue.ts';
import { isWorkload } from '../workloads/workloads.ts';
import type { World } from './world.ts';

/** A kind of objects of which one could not be made. */
export interface CreateFailure extends Shortage {
  /** Of the object, for example `Pod`. */
  readonly kind: string;
  /** Whether the job can run without it: nothing else waits for it. */
  readonly isOptional: boolean;
  /** The generation of the job that it was made for: a changed job is tried at once. */
  readonly generation: number;
  /** For how long it is left alone. */
  readonly waitMs: number;
}

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
  const status = plan.status ?? statusOf(adapter, world.manifest);
  const told = shortageOf(plan.lacks.because, failures);
  const shown = withReplicaFailure(status, told ?? (kinds.size > 0 ? 'as before' : undefined), world.nowMs);
  return {
    ...heldBack(plan, waiting),
    ...(shown !== status && { status: shown }),
    lacks: { ...plan.lacks, kinds: [...kinds] },
  };
}

/** The kinds of which the plan makes something. */
function kindsMissing({ create, ownedResources, ensure }: Plan): Set<string> {
  return new Set([
    ...[...ensure, ...ownedResources.create].map(({ resource }) => resource.kind),
    ...(create.services.length > 0 ? ['Service'] : []),
    ...(create.pods.length > 0 ? ['Pod'] : []),
  ]);
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
  const { ownedResources, create } = plan;
  return {
    ...plan,
    ensure: isForAll ? [] : plan.ensure,
    ownedResources: {
      ...ownedResources,
      create: ownedResources.create.filter(({ resource }) => !isForAll && !kinds.has(resource.kind)),
      // A workload makes pods as soon as it is resumed.
      change: ownedResources.change.filter(({ resource }) => !isForAll || !isWorkload(resource)),
    },
    create: isForAll ? { services: [], pods: [] } : create,
    requeueAfterMs: earliest(plan.requeueAfterMs, ...waiting.map(({ waitMs }) => waitMs)),
  };
}
