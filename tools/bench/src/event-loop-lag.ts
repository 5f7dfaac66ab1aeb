/** How long the event loop of an operator was blocked: how near the process is to its limit. */
import { metricValue } from './request-counts.ts';

export interface EventLoopLag {
  readonly p99: number;
  readonly longest: number;
}

/**
 * In milliseconds since the last request. @param url the operator's, without a path; returns undefined if the operator has no metrics of
 * Node
 */
export async function eventLoopLag(url: string): Promise<EventLoopLag | undefined> {
  if (url === '') return undefined;
  const text = await (await fetch(`${url}/metrics`)).text();
  const [p99, longest] = ['p99', 'max'].map((which) => metricValue(text, `nodejs_eventloop_lag_${which}_seconds`));
  if (p99 === undefined || longest === undefined) return undefined;
  return { p99: Math.round(p99 * 1000), longest: Math.round(longest * 1000) };
}
