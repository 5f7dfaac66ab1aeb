/** What a recorded reconcile run decided, in sentences. */
import { recorded, statusOf, type FrameworkAdapter } from '@muster/common-job-controller';
import type { JobStatus } from '@muster/job-api';
import type { RecordedWrite, RunRecord } from '@muster/recording';
import { duration } from '../terminal/age.ts';
import { fieldChanges } from './field-changes.ts';
import { namesOf } from './names.ts';

const VERBS: Readonly<Record<string, string>> = {
  adopt: 'adopts',
  release: 'releases',
  delete: 'deletes',
  forceDelete: 'force-deletes',
  ensure: 'ensures',
  create: 'creates',
  patch: 'changes',
  annotate: 'annotates',
};

export interface Context {
  /** Undefined if no operator of this version runs the kind. */
  readonly adapter: FrameworkAdapter | undefined;
  /** Names of pods that existed in an earlier run. */
  readonly earlierPods: ReadonlySet<string>;
  /** The run before, if it is recorded. */
  readonly before?: RunRecord | undefined;
}

/** Empty for a run without a decision. */
export function decisionsOf(record: RunRecord, context: Context): string[] {
  const { plan, world } = record;
  const before = storedStatus(record, context.adapter);
  const now = plan.status?.status;
  const status = now === undefined ? [] : statusChanges(before, now, backoffLimitOf(world.manifest.spec));
  const messages = new Set([...(now?.conditions ?? []), ...(before.conditions ?? [])].map(({ message }) => message));
  const events = plan.events.flatMap(({ reason, note }) =>
    messages.has(note) ? [] : [`emits the event ${reason}: ${note}`],
  );
  const writes = writesOf(plan.writes, context.earlierPods);
  const decided = [...status, ...events, ...writes];
  const waiting = plan.lacks.because
    .filter(({ message }) => !messages.has(message) && !isKnownShortage(context.before, message))
    .map(({ reason, message }) => `does not create objects yet (${reason}): ${message}`);
  const all = [...decided, ...waiting];
  if (all.length === 0) return plan.status === undefined ? [] : ['writes the status again'];
  const { lookAgainMs } = plan;
  const isDelayed = writes.length === 0 && plan.lacks.writes.length > 0 && lookAgainMs !== undefined;
  return isDelayed ? [...all, `plans again after ${duration(lookAgainMs)}`] : all;
}

function isKnownShortage(before: RunRecord | undefined, message: string): boolean {
  return before?.plan.lacks.because.some((each) => each.message === message) === true;
}

function storedStatus({ world: { manifest } }: RunRecord, adapter: FrameworkAdapter | undefined): JobStatus {
  if (adapter === undefined) return Object(manifest.status) as JobStatus;
  return statusOf(adapter, recorded(adapter, manifest));
}

/** Conditions that neither the run before nor its predecessors have set: a run that is not recorded has, or another controller. */
export function statusOfOthers(before: RunRecord, now: RunRecord, adapter: FrameworkAdapter | undefined): string[] {
  const known = [...(storedStatus(before, adapter).conditions ?? []), ...(before.plan.status?.status.conditions ?? [])];
  return (storedStatus(now, adapter).conditions ?? []).flatMap(({ type, status, reason = '', message = '' }) => {
    const isKnown = known.some(
      (each) => each.type === type && each.status === status && (each.reason ?? '') === reason,
    );
    if (isKnown || status !== 'True') return [];
    return [
      `a run that is not recorded has set the condition ${type}${reason === '' ? '' : ` (${reason})`}: ${message}`,
    ];
  });
}

function backoffLimitOf(spec: unknown): number | undefined {
  const { runPolicy, backoffLimit } = Object(spec) as { runPolicy?: { backoffLimit?: number }; backoffLimit?: number };
  return runPolicy?.backoffLimit ?? backoffLimit;
}

function statusChanges(before: JobStatus, now: JobStatus, backoffLimit: number | undefined): string[] {
  const known = before.conditions ?? [];
  const conditions = (now.conditions ?? []).flatMap(({ type, status, reason = '', message = '' }) => {
    const earlier = known.find((each) => each.type === type);
    const isSame = earlier?.status === status && earlier.reason === reason && earlier.message === message;
    if (isSame || (status !== 'True' && earlier?.status !== 'True')) return [];
    if (status !== 'True') return [`sets the condition ${type} to ${status}`];
    return [`sets the condition ${type}${reason === '' ? '' : ` (${reason})`}: ${message}`];
  });
  const [count = 0, counted = 0] = [before.restartCount, now.restartCount];
  const restarts = `counts ${counted - count === 1 ? 'restart' : `${counted - count} restarts, now`} ${counted}`;
  const failure = now.firstFailure;
  const isNewFailure = failure !== undefined && JSON.stringify(failure) !== JSON.stringify(before.firstFailure);
  const found = [
    ...conditions,
    ...(counted > count
      ? [backoffLimit === undefined ? restarts : `${restarts} of ${backoffLimit} (backoffLimit)`]
      : []),
    ...(isNewFailure ? [`records the first failure: pod ${failure.pod}, class ${failure.class}`] : []),
  ];
  if (found.length > 0) return found;
  const fields = fieldChanges('status', counts(before), counts(now));
  return fields.length === 0 ? [] : [`updates the status: ${fields.join('; ')}`];
}

/** Conditions are compared by themselves. */
function counts({ conditions: _conditions, ...rest }: JobStatus): object {
  return rest;
}

function writesOf(writes: readonly RecordedWrite[], earlierPods: ReadonlySet<string>): string[] {
  const groups = new Map<string, RecordedWrite[]>();
  for (const write of writes) {
    const isAgain = write.op === 'create' && write.kind === 'Pod' && earlierPods.has(nameOf(write));
    const key = `${isAgain ? 'recreate' : write.op} ${write.kind ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), write]);
  }
  return [...groups].map(([key, group]) => writeText(key.split(' ', 1)[0] ?? '', group));
}

function writeText(op: string, group: readonly RecordedWrite[]): string {
  const [{ kind = '', ...first } = { op }] = group;
  const kindName = kind === 'Pod' ? 'pod' : kind;
  const names = namesOf(kindName, kind === 'Pod' ? 'pods' : `${kind}s`, group.map(nameOf));
  if (op === 'recreate') return `recreates ${names}`;
  const verb = VERBS[op];
  if (verb !== undefined) return `${verb} ${names}`;
  const { name, probe } = first as { name?: string; probe?: { name?: string; method?: string } };
  if (op === 'addFinalizer') return `adds the finalizer ${name}`;
  if (op === 'removeFinalizer') return `removes the finalizer ${name}`;
  if (op === 'deleteJob') return 'deletes the job, whose time to live is over';
  if (op === 'call') return `sends the request ${probe?.method ?? 'GET'} ${probe?.name ?? ''}`;
  return `${op} ${names}`;
}

function nameOf({ object }: RecordedWrite): string {
  return object?.metadata?.name ?? '';
}
