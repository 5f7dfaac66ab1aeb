/** Queries Prometheus through the server of the page. */
import type { PrometheusData } from '../model/series.ts';
import type { TimeRange } from '../model/time-range.ts';

interface Answer<T> {
  readonly status: 'success' | 'error';
  readonly data?: T;
  readonly error?: string;
}

/** Throws an Error with the message of Prometheus. */
async function request<T>(path: string, parameters: Readonly<Record<string, string>>): Promise<T> {
  const response = await fetch(`/prometheus/api/v1/${path}?${new URLSearchParams(parameters).toString()}`);
  const text = await response.text();
  const answer = parsed<Answer<T>>(text);
  if (answer?.status === 'success' && answer.data !== undefined) return answer.data;
  throw new Error(answer?.error ?? `Prometheus returned status ${response.status}: ${text.slice(0, 200)}`);
}

function parsed<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

export function queryAt(query: string, timeMs: number): Promise<PrometheusData> {
  return request('query', { query, time: String(timeMs / 1000) });
}

/** Aligns the range to whole steps, so that points do not move between refreshes. */
export function queryRange(query: string, { fromMs, toMs }: TimeRange, stepSeconds: number): Promise<PrometheusData> {
  const onStep = (ms: number) => String(Math.floor(ms / 1000 / stepSeconds) * stepSeconds);
  return request('query_range', { query, start: onStep(fromMs), end: onStep(toMs), step: String(stepSeconds) });
}

export function labelValues(
  label: string,
  selector: string | undefined,
  { fromMs, toMs }: TimeRange,
): Promise<string[]> {
  return request(`label/${label}/values`, {
    ...(selector === undefined || selector === '' ? {} : { 'match[]': selector }),
    start: String(fromMs / 1000),
    end: String(toMs / 1000),
  });
}

export interface ScrapeTarget {
  readonly labels: Readonly<Record<string, string>>;
  readonly health: 'up' | 'down' | 'unknown';
  readonly lastError: string;
}

export async function scrapeTargets(): Promise<readonly ScrapeTarget[]> {
  const { activeTargets } = await request<{ activeTargets: ScrapeTarget[] }>('targets', { state: 'active' });
  return activeTargets;
}
