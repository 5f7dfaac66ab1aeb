/**
 * Refused writes (by a policy, webhook, quota or name conflict) do not fail the job. They are reported in the condition
 * ReplicaFailure and retried with back-off, until no such write is pending.
 */
import { hasCondition, isFinished, type ReplicaFailureReason } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { statusOf } from '../contract/read-manifest.ts';
import { nameOf } from '../children/child-kind.ts';
import { createdKeys, isUnmet, objectKey } from './object-references.ts';
import { generationOf } from '../model/job-identity.ts';
import type { Decision } from '../model/decision.ts';
import type { Write } from '../model/write.ts';
import { withReplicaFailure } from '../status/replica-failure.ts';
import type { Shortage } from '../model/shortage.ts';
import { earliest } from '../model/requeue.ts';
import { isWorkload } from '../workloads/workloads.ts';
import type { World, WriteFailure, WriteVerb } from '../world/world.ts';

const FIRST_WAIT_MS = 2000;
const LONGEST_WAIT_MS = 30_000;
/** How long the short waits are used. */
const SHORT_WAITS_FOR_MS = 5 * 60_000;
const LONG_WAIT_MS = 3 * 60_000;

/** @param sinceMs time since the first of the consecutive failures */
export function writeRetryMs(failures: number, sinceMs: number): number {
  if (sinceMs >= SHORT_WAITS_FOR_MS) return LONG_WAIT_MS;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
}

/** `CreatePod`: writes with this key are retried together. */
export function writeKey({ verb, kind }: Pick<WriteFailure, 'verb' | 'kind'>): string {
  return `${verb}${kind}`;
}

/** Also returns the keys of all writes, of which the failures are remembered. */
export function withWriteFailures(
  adapter: FrameworkAdapter,
  decision: Decision,
  world: World,
): { readonly due: Decision; readonly open: readonly string[] } {
  const targets = decision.writes.flatMap((each) => targetOf(each) ?? []);
  const keys = new Set(targets.map(writeKey));
  if (decision.isPartial === true) {
    return { due: decision, open: [...new Set([...keys, ...world.writeFailures.map(writeKey)])] };
  }
  const created = createdKeys(decision);
  // A name conflict is over if the job no longer needs the name.
  const isOpen = ({ reason, kind, names }: WriteFailure) =>
    reason !== 'NameTaken' || [...names].some((name) => created.has(objectKey(kind, name)));
  const failures = world.writeFailures.filter((failure) => keys.has(writeKey(failure)) && isOpen(failure));
  const generation = generationOf(world.manifest);
  const waiting = failures.filter((failure) => failure.waitMs > 0 && failure.generation === generation);
  const stored = statusOf(adapter, world.manifest);
  const status = decision.status?.after ?? stored;
  const shortage = shortageOf(decision.shortages, failures);
  const reason = status.conditions?.find(({ type }) => type === 'ReplicaFailure')?.reason;
  const isPending = targets.some(({ verb }) => REASONS_OF[verb].some((each) => each === reason));
  const shown = withReplicaFailure(status, shortage ?? (isPending ? 'as before' : undefined), world.nowMs);
  // Workloads of a stopped job are stopped, whatever is refused.
  const isStopped = isFinished(shown) || hasCondition(shown.conditions, 'Suspended');
  const due = withoutWaitingWrites(decision, waiting, isStopped);
  const changed = shown === status ? due : { ...due, status: { before: stored, ...due.status, after: shown } };
  return { due: changed, open: [...keys] };
}

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
} as const satisfies Partial<Record<Write['op'], WriteVerb>>;

function targetOf(write: Write) {
  if (!('resource' in write)) return undefined;
  const { op, resource, object } = write;
  return { verb: VERBS[op], kind: resource.kind, name: nameOf(object) };
}

function shortageOf(planned: readonly Shortage[], failures: readonly WriteFailure[]): Shortage | undefined {
  const { needed = [], optional = [] } = Object.groupBy(failures, (each) => (each.isOptional ? 'optional' : 'needed'));
  const all = [...needed, ...planned, ...optional];
  return all[0] && { reason: all[0].reason, message: all.map(({ message }) => message).join('. ') };
}

/** A refused optional write delays only itself; a refused required write also delays creating pods. */
function withoutWaitingWrites(decision: Decision, waiting: readonly WriteFailure[], isStopped: boolean): Decision {
  if (waiting.length === 0) return decision;
  const isForAll = !isStopped && waiting.some(({ isOptional }) => !isOptional);
  const isDue = (write: Write) => {
    const target = targetOf(write);
    if (target === undefined) return true;
    const failed = waiting.filter((each) => writeKey(each) === writeKey(target));
    if (target.verb === 'Create') return !isForAll && failed.length === 0;
    // A workload creates pods as soon as it is resumed.
    if (isForAll && write.op === 'patch' && isWorkload(write.resource)) return false;
    return !failed.some(({ names }) => names.has(target.name));
  };
  const held = decision.writes.filter((write) => !isDue(write)).flatMap((write) => targetOf(write) ?? []);
  const unmet = new Set(held.filter(({ verb }) => verb === 'Create').map(({ kind, name }) => objectKey(kind, name)));
  return {
    ...decision,
    writes: decision.writes.filter((each) => isDue(each) && !isUnmet(each, unmet)),
    requeueAfterMs: earliest(decision.requeueAfterMs, ...waiting.map(({ waitMs }) => waitMs)),
  };
}
