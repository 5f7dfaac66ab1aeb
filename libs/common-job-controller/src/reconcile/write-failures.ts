/**
 * Writes to what a job has that were refused for now: by a policy, a webhook or a quota, or because somebody else holds the
 * name. None of that ends a job. It is told in the condition ReplicaFailure, tried again at growing intervals, and the condition
 * goes when nothing of it is left to be written.
 */
import type { JobStatus, ReplicaFailureReason, Resource } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { runPolicyOf, statusOf } from '../contract/read-manifest.ts';
import { nameOf } from './child-kind.ts';
import { objectKey, withoutUnmet } from './dependencies.ts';
import { isFinished } from '../status/conditions.ts';
import { generationOf } from '../model/job-identity.ts';
import { operationsOf, plannedStatus, type Operation, type Plan } from './plan.ts';
import { withReplicaFailure, type Shortage } from '../status/replica-failure.ts';
import { earliest } from './requeue.ts';
import { isWorkload } from '../workloads/workloads.ts';
import type { World, WriteFailure, WriteVerb } from './world.ts';

const FIRST_WAIT_MS = 2000;
const LONGEST_WAIT_MS = 30_000;
/** By then it is not a matter of seconds. */
const PATIENCE_MS = 5 * 60_000;
const LONG_WAIT_MS = 3 * 60_000;

/** How long to wait after so many failures in a row, the first of which was `sinceMs` ago. */
export function writeRetryMs(failures: number, sinceMs: number): number {
  if (sinceMs >= PATIENCE_MS) return LONG_WAIT_MS;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
}

/** `CreatePod`: the writes that fail and are tried again as one. */
export function writeKey({ verb, kind }: Pick<WriteFailure, 'verb' | 'kind'>): string {
  return `${verb}${kind}`;
}

/** `plan` less what is not to be tried yet, and with the condition that says what was refused and why. */
export function withWriteFailures(adapter: FrameworkAdapter, plan: Plan, world: World): Plan {
  const verbs = new Set(plan.operations.flatMap((each) => writeOf(each)?.verb ?? []));
  const keys = new Set(plan.operations.flatMap((each) => writeOf(each) ?? []).map(writeKey));
  const failures = world.writeFailures.filter((failure) => keys.has(writeKey(failure)) && isStillMeant(failure, plan));
  const generation = generationOf(world.manifest);
  const waiting = failures.filter((failure) => failure.waitMs > 0 && failure.generation === generation);
  // What was to be written later goes with what is written now.
  const { unwritten, ...prompt } = plan;
  const status = plannedStatus(plan) ?? { ...statusOf(adapter, world.manifest), ...unwritten };
  const told = shortageOf(plan.lacks.because, failures);
  const reason = status.conditions?.find(({ type }) => type === 'ReplicaFailure')?.reason;
  const isOpen = [...verbs].some((verb) => REASONS_OF[verb].some((each) => each === reason));
  const shown = withReplicaFailure(status, told ?? (isOpen ? 'as before' : undefined), world.nowMs);
  // A job that is stopped has its workloads stopped, whatever else is refused.
  const isStopped = isFinished(shown) || runPolicyOf(adapter, world.manifest).suspend;
  const isWritten = shown !== status;
  const due = heldBack(isWritten ? prompt : plan, waiting, isStopped);
  return {
    ...due,
    ...(isWritten && { operations: withStatus(due.operations, shown) }),
    lacks: { ...plan.lacks, writes: [...keys] },
  };
}

function withStatus(operations: readonly Operation[], status: JobStatus): Operation[] {
  const [planned = { op: 'status', counters: [], restartCauses: [], latencies: [] }] = operationsOf(
    { operations },
    'status',
  );
  return [{ ...planned, status }, ...operations.filter(({ op }) => op !== 'status')];
}

/** A job may go without a name that somebody else holds. */
function isStillMeant({ reason, kind, names }: WriteFailure, plan: Plan): boolean {
  if (reason !== ('NameTaken' satisfies ReplicaFailureReason)) return true;
  const made = [...operationsOf(plan, 'ensure'), ...operationsOf(plan, 'create')];
  return made.some(({ resource, object }) => resource.kind === kind && names.has(nameOf(object)));
}

/** The names of this kind that others hold, as creates have found out. */
export function namesTaken({ writeFailures }: World, { kind }: Resource): ReadonlySet<string> {
  const taken = writeFailures.filter((failure) => failure.kind === kind && failure.reason === 'NameTaken');
  return new Set(taken.flatMap(({ names }) => [...names]));
}

/** The reasons of ReplicaFailure under which writes of each verb are told. */
const REASONS_OF: Readonly<Record<WriteVerb, readonly ReplicaFailureReason[]>> = {
  Create: ['FailedCreate', 'NameTaken'],
  Update: ['FailedUpdate'],
  Delete: ['FailedDelete'],
};

const VERBS = {
  ensure: 'Create',
  create: 'Create',
  adopt: 'Update',
  release: 'Update',
  patch: 'Update',
  annotate: 'Update',
  delete: 'Delete',
  forceDelete: 'Delete',
} as const satisfies Partial<Record<Operation['op'], WriteVerb>>;

/** What the operation writes to; undefined where that is the job itself, or nothing. */
function writeOf(operation: Operation) {
  if (!('resource' in operation)) return undefined;
  const { op, resource, object } = operation;
  return { verb: VERBS[op], kind: resource.kind, name: nameOf(object) };
}

function shortageOf(planned: readonly Shortage[], failures: readonly WriteFailure[]): Shortage | undefined {
  const needed = failures.filter(({ isOptional }) => !isOptional);
  const optional = failures.filter(({ isOptional }) => isOptional);
  const [first, ...others] = [...needed, ...planned, ...optional];
  if (first === undefined) return undefined;
  return { reason: first.reason, message: [first, ...others].map(({ message }) => message).join('. ') };
}

/** What can be done without waits for itself alone; for all else whatever makes pods waits. */
function heldBack(plan: Plan, waiting: readonly WriteFailure[], isStopped: boolean): Plan {
  if (waiting.length === 0) return plan;
  const isForAll = !isStopped && waiting.some(({ isOptional }) => !isOptional);
  const isDue = (operation: Operation) => {
    const write = writeOf(operation);
    if (write === undefined) return true;
    const failed = waiting.filter((each) => writeKey(each) === writeKey(write));
    if (write.verb === 'Create') return !isForAll && failed.length === 0;
    // A workload makes pods as soon as it is resumed.
    if (isForAll && operation.op === 'patch' && isWorkload(operation.resource)) return false;
    return !failed.some(({ names }) => names.has(write.name));
  };
  const held = plan.operations
    .filter((operation) => !isDue(operation))
    .flatMap((operation) => writeOf(operation) ?? []);
  const unmet = new Set(held.filter(({ verb }) => verb === 'Create').map(({ kind, name }) => objectKey(kind, name)));
  return {
    ...plan,
    operations: withoutUnmet(plan.operations.filter(isDue), unmet),
    requeueAfterMs: earliest(plan.requeueAfterMs, ...waiting.map(({ waitMs }) => waitMs)),
  };
}
