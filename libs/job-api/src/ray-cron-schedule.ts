/**
 * The form of a cron schedule, as a regular expression that CEL and TypeScript share. It accepts the standard format of
 * robfig/cron, which Kubernetes and KubeRay use: five fields, or a descriptor. What it cannot express (reversed ranges,
 * dates that never come) is checked by the operator.
 */
import * as z from 'zod';
import { withRules } from './rule.ts';

const anyCase = (name: string) =>
  [...name].map((letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`).join('');

/** With leading zeros, as in `05`. */
const numbers = (pattern: string) => `0*(${pattern})`;

export const CRON_MONTHS = [
  'jan',
  'feb',
  'mar',
  'apr',
  'may',
  'jun',
  'jul',
  'aug',
  'sep',
  'oct',
  'nov',
  'dec',
] as const;
export const CRON_WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

function field(value: string): string {
  const element = `([*?]|(${value})(-(${value}))?)(/0*[1-9][0-9]*)?`;
  return `${element}(,${element})*`;
}

const FIELDS = [
  field(numbers('[0-9]|[1-5][0-9]')),
  field(numbers('[0-9]|1[0-9]|2[0-3]')),
  field(numbers('[1-9]|[12][0-9]|3[01]')),
  field([numbers('[1-9]|1[0-2]'), ...CRON_MONTHS.map(anyCase)].join('|')),
  field([numbers('[0-6]'), ...CRON_WEEKDAYS.map(anyCase)].join('|')),
];

const CALENDAR = `[ \\t]*${FIELDS.join('[ \\t]+')}[ \\t]*`;
const DESCRIPTOR = '@(yearly|annually|monthly|weekly|daily|midnight|hourly)';
/** A duration of Go. */
const EVERY = '@every ([0-9]+([.][0-9]+)?(h|m|s))+';

const FORM = `^(${CALENDAR}|${DESCRIPTOR}|${EVERY})$`;

/** In a CEL string, which has the escapes of JSON. */
const celString = (text: string) => JSON.stringify(text);

/** Milliseconds of the duration of `@every`; undefined for other schedules. */
export function cronInterval(schedule: string): number | undefined {
  if (!new RegExp(`^${EVERY}$`).test(schedule)) return undefined;
  const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };
  const parts = [...schedule.matchAll(/([0-9.]+)([hms])/g)];
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0), 0);
  // Whole seconds, as in robfig/cron.
  return Math.floor(ms / 1000) * 1000;
}

const LEAST_INTERVAL_MS = 60_000;

/** More than all minutes, hours, days, months and days of the week. Bounds the cost of the rules. */
const MOST_CHARACTERS = 512;

export const cronScheduleSchema = withRules(z.string().max(MOST_CHARACTERS), [
  {
    cel: "!self.contains('TZ')",
    holds: (schedule) => !schedule.includes('TZ'),
    message: 'remove the time zone from the schedule, and set spec.timeZone',
    reason: 'FieldValueForbidden',
  },
  {
    cel: `self.contains('TZ') || self.matches(${celString(FORM)})`,
    holds: (schedule) => schedule.includes('TZ') || new RegExp(FORM).test(schedule),
    message:
      'must have five fields (minute 0-59, hour 0-23, day of month 1-31, month 1-12, day of week 0-6), as in "0 3 * * 1-5", ' +
      'or be @hourly, @daily, @weekly, @monthly, @yearly or "@every <duration>", as in "@every 90m"',
  },
  {
    cel: `!self.matches(${celString(`^${EVERY}$`)}) || duration(self.substring(7)) >= duration('1m')`,
    holds: (schedule) => (cronInterval(schedule) ?? LEAST_INTERVAL_MS) >= LEAST_INTERVAL_MS,
    message: 'must be at least one minute: the name of a run contains the minute of its schedule',
  },
]);
