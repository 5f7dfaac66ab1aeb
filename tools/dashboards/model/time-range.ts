/** Time range and resolution of a dashboard. */
import { formatDuration, parseDuration } from './duration.ts';

export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Parses `now`, `now-15m` or Unix time in milliseconds; undefined for other text. */
export function parseTime(text: string, nowMs: number): number | undefined {
  if (text === 'now') return nowMs;
  if (/^\d+$/.test(text)) return Number(text);
  const before = /^now-(.+)$/.exec(text)?.[1];
  const ms = before === undefined ? undefined : parseDuration(before);
  return ms === undefined ? undefined : nowMs - ms;
}

/** Long enough for several samples of a rate. */
const LEAST_DEFAULT_MS = 60_000;

/**
 * Default start of the time range: that of the dashboard, but not long before the first data.
 * @param from of the dashboard
 */
export function defaultFrom(from: string, sinceMs: number | undefined, nowMs: number): string {
  const fromMs = parseTime(from, nowMs);
  if (sinceMs === undefined || fromMs === undefined || fromMs >= sinceMs) return from;
  return String(Math.min(sinceMs, Math.max(nowMs - LEAST_DEFAULT_MS, fromMs)));
}

/** Steps that are readable on an axis. */
const STEPS_S = [
  1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
];

export interface Resolution {
  readonly scrapeIntervalMs: number;
  /** Desired number, about one per pixel. */
  readonly points: number;
  /** Of the panel or query. */
  readonly minInterval?: string | undefined;
}

/** Seconds between two points: at most the desired number of points, and not finer than the scrape interval. */
export function stepOf({ fromMs, toMs }: TimeRange, { scrapeIntervalMs, points, minInterval }: Resolution): number {
  const atLeastMs = Math.max(parseDuration(minInterval ?? '') ?? 0, scrapeIntervalMs);
  const wantedS = Math.max((toMs - fromMs) / Math.max(points, 1), atLeastMs) / 1000;
  return STEPS_S.find((step) => step >= wantedS) ?? Math.ceil(wantedS / 86_400) * 86_400;
}

/**
 * Grafana's variables of time. `$__rate_interval` covers at least four scrapes, so that a rate has two samples even if a scrape fails.
 */
export function intervalVariables(
  { fromMs, toMs }: TimeRange,
  stepSeconds: number,
  scrapeIntervalMs: number,
): Record<string, string> {
  const stepMs = stepSeconds * 1000;
  const rangeMs = toMs - fromMs;
  return {
    __interval: formatDuration(stepMs),
    __interval_ms: String(stepMs),
    __rate_interval: formatDuration(Math.max(stepMs + scrapeIntervalMs, 4 * scrapeIntervalMs)),
    __range: formatDuration(Math.round(rangeMs / 1000) * 1000),
    __range_s: String(Math.round(rangeMs / 1000)),
    __range_ms: String(rangeMs),
    __from: String(fromMs),
    __to: String(toMs),
  };
}
