import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeOf } from '../model/time-of.ts';
import { parseSchedule, type CronSchedule } from './cron-schedule.ts';

const MINUTE_MS = 60_000;

function scheduleOf(text: string, zone = 'UTC'): CronSchedule {
  const { schedule, problem } = parseSchedule(text, zone);
  if (schedule === undefined) throw new Error(problem);
  return schedule;
}

const at = (time: string) => Date.parse(time);

function nextTicks(text: string, zone: string, after: string, count: number): string[] {
  const schedule = scheduleOf(text, zone);
  const ticks: number[] = [];
  for (let last = at(after); ticks.length < count;) ticks.push((last = schedule.next(last, at(after))));
  return ticks.map(timeOf);
}

describe('the next tick', () => {
  it.each([
    ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
    ['* * * * *', '2026-01-01T00:00:59Z', '2026-01-01T00:01:00Z'],
    ['*/15 * * * *', '2026-01-01T00:14:59Z', '2026-01-01T00:15:00Z'],
    ['5/15 * * * *', '2026-01-01T00:06:00Z', '2026-01-01T00:20:00Z'],
    ['30 8,20 * * *', '2026-01-01T08:30:00Z', '2026-01-01T20:30:00Z'],
    ['0 3 * * *', '2026-12-31T03:00:00Z', '2027-01-01T03:00:00Z'],
    ['0 0 31 * *', '2026-02-01T00:00:00Z', '2026-03-31T00:00:00Z'],
    ['0 0 29 2 *', '2026-03-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0 0 29 feb ?', '2096-03-01T00:00:00Z', '2104-02-29T00:00:00Z'],
    ['0 3 * * 1-5', '2026-11-27T03:00:00Z', '2026-11-30T03:00:00Z'],
    ['0 3 * * Sun', '2026-11-26T03:00:00Z', '2026-11-29T03:00:00Z'],
    ['@hourly', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'],
    ['@daily', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['@weekly', '2026-11-26T00:00:00Z', '2026-11-29T00:00:00Z'],
    ['@monthly', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['@yearly', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['@every 90m', '2026-01-01T00:00:10Z', '2026-01-01T01:30:10Z'],
  ])('of "%s" after %s is %s', (text, after, next) => {
    expect(nextTicks(text, 'UTC', after, 1)).toEqual([next]);
  });

  it('matches either day field if both are restricted, and both if one is not', () => {
    expect(nextTicks('0 0 13 * 5', 'UTC', '2026-11-01T00:00:00Z', 4).map((tick) => tick.slice(0, 10))).toEqual([
      '2026-11-06',
      '2026-11-13',
      '2026-11-20',
      '2026-11-27',
    ]);
    // As in robfig/cron, a step over 1 restricts the field.
    expect(nextTicks('0 0 */10 * 5', 'UTC', '2026-11-01T00:00:00Z', 3).map((tick) => tick.slice(0, 10))).toEqual([
      '2026-11-06',
      '2026-11-11',
      '2026-11-13',
    ]);
  });
});

describe('when clocks change', () => {
  // The expected values are those of robfig/cron's own tests.
  it.each([
    ['skips a time that does not exist', '30 2 11 Mar ?', '2012-03-11T05:00:00Z', ['2013-03-11T06:30:00Z']],
    ['runs every hour', '0 * * * ?', '2012-03-11T06:00:00Z', ['2012-03-11T07:00:00Z', '2012-03-11T08:00:00Z']],
    ['skips a night', '0 2 * * ?', '2012-03-11T05:00:00Z', ['2012-03-12T06:00:00Z']],
    ['is exact after the change', '30 2 04 Nov ?', '2012-11-04T04:00:00Z', ['2012-11-04T07:30:00Z']],
    ['finds the second of two equal times', '30 1 04 Nov ?', '2012-11-04T05:45:00Z', ['2012-11-04T06:30:00Z']],
    [
      'runs a repeated time twice',
      '0 1 * * ?',
      '2012-11-04T04:00:00Z',
      ['2012-11-04T05:00:00Z', '2012-11-04T06:00:00Z', '2012-11-05T06:00:00Z'],
    ],
    [
      'repeats all times of the repeated hour in their order',
      '*/30 1 * * ?',
      '2012-11-04T04:00:00Z',
      ['2012-11-04T05:00:00Z', '2012-11-04T05:30:00Z', '2012-11-04T06:00:00Z', '2012-11-04T06:30:00Z'],
    ],
  ])('in New York, %s: "%s" after %s', (_what, text, after, ticks) => {
    expect(nextTicks(text, 'America/New_York', after, ticks.length)).toEqual(ticks);
  });

  it.each([
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T02:00:00Z', '2026-03-30T00:30:00Z'],
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T00:30:00Z', '2026-10-25T00:30:00Z'],
    ['Europe/Berlin', '30 2 * * *', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
    // Midnight of that day does not exist.
    ['America/Sao_Paulo', '0 0 4 11 *', '2018-10-17T09:00:00Z', '2019-11-04T03:00:00Z'],
    ['America/Sao_Paulo', '0 9 4 11 *', '2018-10-17T09:00:00Z', '2018-11-04T11:00:00Z'],
    // The change is half an hour.
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T00:00:00Z', '2026-04-04T14:45:00Z'],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T14:45:00Z', '2026-04-04T15:15:00Z'],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T00:00:00Z', '2026-10-04T15:15:00Z'],
    // A whole day is missing.
    ['Pacific/Apia', '0 12 30 * *', '2011-12-01T00:00:00Z', '2012-01-29T22:00:00Z'],
  ])('in %s, "%s" after %s is %s', (zone, text, after, next) => {
    expect(nextTicks(text, zone, after, 1)).toEqual([next]);
  });
});

describe('a schedule that is refused', () => {
  it.each([
    ['0 0 30 2 *', 'no date ever matches'],
    ['0 0 31 4,6,9,11 *', 'no date ever matches'],
    ['30-10 * * * *', '"30-10" is no minute'],
    ['0 0 * dec-jan *', '"dec-jan" is no month'],
  ])('is "%s": %s', (text, says) => {
    expect(parseSchedule(text, 'UTC').problem).toContain(says);
  });

  it('is not one with a day of the week that comes', () => {
    expect(nextTicks('0 0 30 2 1', 'UTC', '2026-02-01T00:00:00Z', 1)).toEqual(['2026-02-02T00:00:00Z']);
  });
});

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Asia/Kolkata'];

/** Around a change of the clock in one of the zones, or any time of some years. */
const moments = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        '2026-03-29T01:00Z',
        '2026-10-25T01:00Z',
        '2026-03-08T07:00Z',
        '2026-11-01T06:00Z',
        '2018-11-04T03:00Z',
        '2019-02-17T02:00Z',
        '2026-04-04T15:00Z',
        '2026-10-03T15:30Z',
      ),
      fc.integer({ min: -3 * 1440, max: 3 * 1440 }),
    )
    .map(([change, minutes]) => at(change) + minutes * MINUTE_MS),
  fc
    .integer({ min: at('2015-01-01T00:00Z') / 1000, max: at('2035-01-01T00:00Z') / 1000 })
    .map((seconds) => seconds * 1000),
);

const values = (min: number, max: number) =>
  fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }).map((list) => list.join(','));

const schedules = fc
  .tuple(
    fc.oneof(values(0, 59), fc.constantFrom('*/20', '*')),
    fc.oneof(values(0, 3), fc.constantFrom('*', '*/6')),
    fc.oneof(fc.constant('*'), values(1, 31), fc.constant('*/2')),
    fc.constant('*'),
    fc.oneof(fc.constant('*'), values(0, 6)),
  )
  .map((fields) => fields.join(' '));

describe('any schedule', () => {
  /** The first minute within a few days whose local time matches, by a search through all of them. */
  function byAllMinutes(text: string, zone: string, afterMs: number, days: number): number | undefined {
    const fields = text.split(' ').map((field) => field.split(','));
    const format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, hourCycle: 'h23', weekday: 'short', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric' },
    });
    const fits = (field: readonly string[], value: number, least: number) =>
      field.some((each) => {
        const [range, step = '1'] = each.split('/');
        return range === '*' ? (value - least) % Number(step) === 0 : Number(each) === value;
      });
    const [minutes = [], hours = [], monthDays = [], , weekdays = []] = fields;
    for (
      let tick = Math.floor(afterMs / MINUTE_MS + 1) * MINUTE_MS;
      tick <= afterMs + days * 86_400_000;
      tick += MINUTE_MS
    ) {
      const parts = Object.fromEntries(format.formatToParts(tick).map(({ type, value }) => [type, value]));
      const weekday = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].indexOf(parts['weekday'] ?? '');
      const [isDay, isWeekday] = [fits(monthDays, Number(parts['day']), 1), fits(weekdays, weekday, 0)];
      const isDate = monthDays[0] === '*' || weekdays[0] === '*' ? isDay && isWeekday : isDay || isWeekday;
      const isTime = fits(minutes, Number(parts['minute']), 0) && fits(hours, Number(parts['hour']), 0);
      if (isDate && isTime) return tick;
    }
    return undefined;
  }

  it('ticks exactly in the minutes whose local time matches', () => {
    fc.assert(
      fc.property(schedules, fc.constantFrom(...ZONES), moments, (text, zone, afterMs) => {
        const next = scheduleOf(text, zone).next(afterMs, afterMs);
        const expected = byAllMinutes(text, zone, afterMs, 2);
        if (expected === undefined) expect(next).toBeGreaterThan(afterMs + 2 * 86_400_000);
        else expect(timeOf(next)).toBe(timeOf(expected));
      }),
      { numRuns: 60 },
    );
  });

  const any = fc.oneof(schedules, fc.constantFrom('@hourly', '@every 90m', '@every 61s', '* * * * *'));

  it('has a last tick that the next tick follows', () => {
    fc.assert(
      fc.property(any, fc.constantFrom(...ZONES), moments, fc.nat(40 * 1440), (text, zone, startMs, minutes) => {
        const schedule = scheduleOf(text, zone);
        const untilMs = startMs + minutes * MINUTE_MS;
        const last = schedule.last(startMs, untilMs);
        const next = schedule.next(untilMs, startMs);
        expect(next).toBeGreaterThan(untilMs);
        expect(schedule.next(last ?? startMs, startMs)).toBe(next);
        if (last === undefined) return;
        expect(last).toBeGreaterThan(startMs);
        expect(last).toBeLessThanOrEqual(untilMs);
      }),
    );
  });

  it('counts as many ticks as there are, up to the limit', () => {
    fc.assert(
      fc.property(any, fc.constantFrom(...ZONES), moments, fc.nat(3 * 1440), (text, zone, startMs, minutes) => {
        const schedule = scheduleOf(text, zone);
        const endMs = startMs + minutes * MINUTE_MS;
        let count = 0;
        for (
          let tick = schedule.next(startMs, startMs);
          tick < endMs && count < 50;
          tick = schedule.next(tick, startMs)
        )
          count += 1;
        expect(schedule.countBetween(startMs, endMs, 50)).toBe(count);
      }),
    );
  });
});
