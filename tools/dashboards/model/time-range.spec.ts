import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';
import { defaultFrom, intervalVariables, parseTime, stepOf } from './time-range.ts';

describe('durations', () => {
  it.each([
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['500ms', 500],
    ['1w', 604_800_000],
    ['', undefined],
    ['5', undefined],
    ['now', undefined],
  ])('%s is %s milliseconds', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each([
    [30_000, '30s'],
    [90_000, '90s'],
    [3_600_000, '1h'],
    [1500, '1500ms'],
  ])('%s milliseconds are written %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});

describe('times', () => {
  it.each([
    ['now', 1000],
    ['now-1s', 0],
    ['500', 500],
    ['yesterday', undefined],
    ['now+1h', undefined],
  ])('%s is %s', (text, ms) => expect(parseTime(text, 1000)).toBe(ms));
});

describe('the step of a query', () => {
  const hour = { fromMs: 0, toMs: 3_600_000 };

  it.each([
    ['has one point for each desired point', hour, { points: 600, scrapeIntervalMs: 1000 }, 10],
    ['is not finer than the scrape interval', { fromMs: 0, toMs: 60_000 }, { points: 600, scrapeIntervalMs: 5000 }, 5],
    [
      'is not finer than the minimum interval of the panel',
      hour,
      { points: 600, scrapeIntervalMs: 1000, minInterval: '1m' },
      60,
    ],
    [
      'grows with the range',
      { fromMs: 0, toMs: 400 * 86_400_000 },
      { points: 100, scrapeIntervalMs: 1000 },
      4 * 86_400,
    ],
  ])('%s', (_name, range, resolution, step) => expect(stepOf(range, resolution)).toBe(step));

  it('covers at least four scrapes in $__rate_interval', () => {
    expect(intervalVariables(hour, 10, 30_000)['__rate_interval']).toBe('2m');
    expect(intervalVariables(hour, 300, 30_000)['__rate_interval']).toBe('330s');
    expect(intervalVariables(hour, 10, 30_000)['__range']).toBe('1h');
  });
});

describe('the default range', () => {
  const NOW = 1_800_000_000_000;
  const before = (seconds: number) => NOW - seconds * 1000;

  it.each<[what: string, from: string, sinceMs: number | undefined, expected: string]>([
    ['is that of the dashboard if the time of the first data is unknown', 'now-1h', undefined, 'now-1h'],
    ['is that of the dashboard if older data exists', 'now-1h', before(7200), 'now-1h'],
    ['starts with the first data', 'now-1h', before(600), String(before(600))],
    ['is at least a minute', 'now-1h', before(5), String(before(60))],
    ['is not longer than that of the dashboard', 'now-30s', before(5), String(before(30))],
    ['is that of the dashboard if it cannot be parsed', 'yesterday', before(600), 'yesterday'],
  ])('%s', (_what, from, sinceMs, expected) => expect(defaultFrom(from, sinceMs, NOW)).toBe(expected));
});
