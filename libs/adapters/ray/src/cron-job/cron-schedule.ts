/**
 * Cron schedules with the meaning of robfig/cron, which Kubernetes and KubeRay use: a tick is each minute whose local
 * time matches. So a local time that a clock change skips has no tick, and one that it repeats has two.
 */
import { CRON_MONTHS, CRON_WEEKDAYS, cronInterval } from '@muster/job-api';
import { offsetAt, offsetPeriods } from './time-zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Times in milliseconds since the epoch. */
export interface CronSchedule {
  /** The first tick after `afterMs`. @param startMs the time from which the intervals of `@every` count */
  next(afterMs: number, startMs: number): number;
  /** The last tick after `startMs` that is not after `untilMs`. */
  last(startMs: number, untilMs: number): number | undefined;
  /** The number of ticks between both, these excluded. Stops counting at `most`. */
  countBetween(startMs: number, endMs: number, most: number): number;
}

export type ParsedSchedule =
  | { readonly schedule: CronSchedule; readonly problem?: undefined }
  | { readonly schedule?: undefined; readonly problem: string };

/** @param text of the form that admission accepts. The result is a problem only for what this form cannot express. */
export function parseSchedule(text: string, zone: string): ParsedSchedule {
  const intervalMs = cronInterval(text);
  if (intervalMs !== undefined) return { schedule: everyInterval(intervalMs) };
  const fields = (DESCRIPTORS[text] ?? text).trim().split(/\s+/);
  const parsed = FIELDS.map((field, at) => parseField(field, fields[at] ?? ''));
  const problem = parsed.find((each) => typeof each === 'string');
  if (typeof problem === 'string') return { problem };
  const [minutes, hours, days, months, weekdays] = parsed as [Field, Field, Field, Field, Field];
  const calendar = { minutes, hours, days, months, weekdays };
  if (!hasDates(calendar)) return { problem: 'no date ever matches: correct the day of the month, or the month' };
  return { schedule: inCalendar(calendar, zone) };
}

const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

interface FieldForm {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** The first is that of `least`. */
  readonly names?: readonly string[];
}

const FIELDS: readonly FieldForm[] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of month', least: 1, most: 31 },
  { name: 'month', least: 1, most: 12, names: CRON_MONTHS },
  { name: 'day of week', least: 0, most: 6, names: CRON_WEEKDAYS },
];

interface Field {
  readonly values: ReadonlySet<number>;
  /** Written as `*` or `?`. */
  readonly isAny: boolean;
}

/** The problem, if the field is invalid. */
function parseField(form: FieldForm, text: string): Field | string {
  const values = new Set<number>();
  let isAny = false;
  for (const element of text.split(',')) {
    const [range = '', step = '1'] = element.split('/');
    const isStar = /^[*?]$/.test(range);
    const [first = NaN, end] = isStar ? [form.least, form.most] : range.split('-').map((each) => valueOf(form, each));
    // As in robfig/cron, `5/15` means `5-59/15`.
    const last = end ?? (element.includes('/') ? form.most : first);
    const isValid = first >= form.least && last <= form.most && first <= last && Number(step) >= 1;
    if (!isValid) return `"${element}" is no ${form.name}: use ${form.least} to ${form.most}, in ascending order`;
    for (let value = first; value <= last; value += Number(step)) values.add(value);
    isAny ||= isStar && Number(step) === 1;
  }
  return { values, isAny };
}

function valueOf({ least, names = [] }: FieldForm, text: string): number {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return least + named;
  return /^\d+$/.test(text) ? Number(text) : NaN;
}

interface Calendar {
  readonly minutes: Field;
  readonly hours: Field;
  readonly days: Field;
  readonly months: Field;
  readonly weekdays: Field;
}

function everyInterval(intervalMs: number): CronSchedule {
  const last = (startMs: number, untilMs: number) => {
    const count = Math.floor((untilMs - startMs) / intervalMs);
    return count < 1 ? undefined : startMs + count * intervalMs;
  };
  return {
    next: (afterMs, startMs) => (last(startMs, afterMs) ?? startMs) + intervalMs,
    last,
    countBetween: (startMs, endMs, most) => Math.min(most, Math.max(0, Math.ceil((endMs - startMs) / intervalMs) - 1)),
  };
}

function inCalendar(calendar: Calendar, zone: string): CronSchedule {
  const minutes = inOrder(calendar.minutes);
  const inDay = inOrder(calendar.hours).flatMap((hour) => minutes.map((minute) => hour * HOUR_MS + minute * MINUTE_MS));
  // A local day is written as its midnight in UTC.
  const dayOf = (atMs: number) => Math.floor((atMs + offsetAt(zone, atMs)) / DAY_MS) * DAY_MS;
  function* ticksOf(day: number): Generator<number> {
    if (!isDayOf(calendar, day)) return;
    for (const { offsetMs, startMs, endMs } of offsetPeriods(zone, day - DAY_MS, day + 2 * DAY_MS)) {
      for (const wallMs of inDay) {
        const tick = day + wallMs - offsetMs;
        if (tick >= startMs && tick < endMs) yield tick;
      }
    }
  }
  function* ticksAfter(afterMs: number): Generator<number, never> {
    for (let day = dayOf(afterMs); ; day += DAY_MS) {
      for (const tick of ticksOf(day)) if (tick > afterMs) yield tick;
    }
  }
  return {
    next: (afterMs) => ticksAfter(afterMs).next().value,
    last(startMs, untilMs) {
      const firstDay = dayOf(startMs);
      for (let day = dayOf(untilMs); day >= firstDay; day -= DAY_MS) {
        const tick = [...ticksOf(day)].findLast((each) => each <= untilMs);
        if (tick !== undefined) return tick > startMs ? tick : undefined;
      }
      return undefined;
    },
    countBetween(startMs, endMs, most) {
      let count = 0;
      for (const tick of ticksAfter(startMs)) {
        if (tick >= endMs || count >= most) break;
        count += 1;
      }
      return count;
    },
  };
}

function inOrder({ values }: Field): number[] {
  return [...values].toSorted((a, b) => a - b);
}

/** If both day fields are restricted, either has to match. */
function isDayOf({ days, months, weekdays }: Calendar, day: number): boolean {
  const date = new Date(day);
  if (!months.values.has(date.getUTCMonth() + 1)) return false;
  const [isDay, isWeekday] = [days.values.has(date.getUTCDate()), weekdays.values.has(date.getUTCDay())];
  return days.isAny || weekdays.isAny ? isDay && isWeekday : isDay || isWeekday;
}

const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether any date matches, so that the search for a tick ends. */
function hasDates({ days, months, weekdays }: Calendar): boolean {
  if (!days.isAny && !weekdays.isAny) return true;
  const firstDay = Math.min(...days.values);
  return [...months.values].some((month) => firstDay <= (DAYS_OF_MONTHS[month - 1] ?? 0));
}
