import type { PlannedEvent } from '@muster/common-job-controller';
import type { RecordedPlan, RecordedWrite } from './recorded-plan.ts';

export interface Difference {
  /** Without names and values, so that it is the same for similar differences. */
  readonly what: string;
  readonly recorded: unknown;
  readonly replayed: unknown;
}

export function differencesOf(recorded: RecordedPlan, replayed: RecordedPlan): Difference[] {
  const { status, events, writes, lookAgainMs, ...rest } = recorded;
  const { status: newStatus, events: newEvents, writes: newWrites, lookAgainMs: newLookAgainMs, ...newRest } = replayed;
  return [
    ...inStatus(status, newStatus),
    ...inEvents(events, newEvents),
    ...inWrites(writes, newWrites),
    ...(lookAgainMs === newLookAgainMs
      ? []
      : [{ what: 'time of the next run', recorded: lookAgainMs, replayed: newLookAgainMs }]),
    ...inValues('', rest, newRest),
  ];
}

function inStatus(recorded: RecordedPlan['status'], replayed: RecordedPlan['status']): Difference[] {
  if (recorded === undefined && replayed !== undefined) return [{ what: 'status is written', recorded, replayed }];
  if (recorded !== undefined && replayed === undefined) return [{ what: 'status is not written', recorded, replayed }];
  return inValues('status write', recorded, replayed);
}

function inEvents(recorded: readonly PlannedEvent[], replayed: readonly PlannedEvent[]): Difference[] {
  const [gone, come] = [without(recorded, replayed), without(replayed, recorded)];
  const found = gone.map((event): Difference => {
    const at = come.findIndex(({ reason }) => reason === event.reason);
    if (at < 0) return { what: `event ${event.reason} is not emitted`, recorded: event, replayed: undefined };
    return { what: `event ${event.reason} differs`, recorded: event, replayed: come.splice(at, 1)[0] };
  });
  const added = come.map((event) => ({
    what: `event ${event.reason} is emitted`,
    recorded: undefined,
    replayed: event,
  }));
  const all = [...found, ...added];
  return all.length > 0 || isEqual(recorded, replayed) ? all : [{ what: 'order of events', recorded, replayed }];
}

function inWrites(recorded: readonly RecordedWrite[], replayed: readonly RecordedWrite[]): Difference[] {
  const [gone, come] = [without(recorded, replayed), without(replayed, recorded)];
  const found = gone.flatMap((write): Difference[] => {
    const at = come.findIndex((other) => targetOf(other) === targetOf(write));
    if (at < 0) return [{ what: `${verbOf(write)} is missing`, recorded: write, replayed: undefined }];
    return inValues(verbOf(write), write, come.splice(at, 1)[0]);
  });
  const added = come.map((write) => ({ what: `${verbOf(write)} is new`, recorded: undefined, replayed: write }));
  const all = [...found, ...added];
  if (all.length > 0 || isEqual(recorded, replayed)) return all;
  return [{ what: 'order of writes', recorded: recorded.map(targetOf), replayed: replayed.map(targetOf) }];
}

/** Each of `others` matches one element. */
function without<T>(all: readonly T[], others: readonly T[]): T[] {
  const left = others.map(textOf);
  return all.filter((each) => {
    const at = left.indexOf(textOf(each));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function verbOf({ op, kind }: RecordedWrite): string {
  return kind === undefined ? op : `${op} ${kind}`;
}

function targetOf(write: RecordedWrite): string {
  return `${verbOf(write)} ${write.object?.metadata?.name ?? ''}`;
}

/** Reports the outermost parts. Lists of different lengths are one part. */
function inValues(path: string, recorded: unknown, replayed: unknown): Difference[] {
  if (isEqual(recorded, replayed)) return [];
  const differ = [{ what: path, recorded, replayed }];
  if (Array.isArray(recorded) && Array.isArray(replayed)) {
    if (recorded.length !== replayed.length) return differ;
    return recorded.flatMap((each, at) => inValues(`${path}[]`, each, replayed[at]));
  }
  if (!isObject(recorded) || !isObject(replayed)) return differ;
  const keys = [...new Set([...Object.keys(recorded), ...Object.keys(replayed)])];
  return keys.flatMap((key) => inValues(path === '' ? key : `${path} ${key}`, recorded[key], replayed[key]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  const isPlain = typeof value === 'object' && value !== null;
  return isPlain && !Array.isArray(value) && !(value instanceof Map) && !(value instanceof Set);
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || textOf(one) === textOf(other);
}

function textOf(value: unknown): string {
  return JSON.stringify(value, ordered) ?? '';
}

function ordered(_key: string, value: unknown): unknown {
  if (value instanceof Map || value instanceof Set) return [value.constructor.name, ...value];
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
