/** The address contains the state of the page, for bookmarks and links: `/d/<uid>?var-job=train&from=now-1h&to=now&refresh=5s`. */
import type { Dashboard } from '../model/dashboard.ts';
import { defaultFrom } from '../model/time-range.ts';

export interface Address {
  readonly from: string;
  readonly to: string;
  /** Such as `5s`; empty: no refresh. */
  readonly refresh: string;
  readonly chosen: ReadonlyMap<string, readonly string[]>;
}

/** @param sinceMs time of the first data, if known */
export function readAddress({ time, refresh = '' }: Dashboard, sinceMs: number | undefined): Address {
  const parameters = new URLSearchParams(location.search);
  const names = [...parameters.keys()].filter((key) => key.startsWith('var-'));
  return {
    from: parameters.get('from') ?? defaultFrom(time?.from ?? 'now-1h', sinceMs, Date.now()),
    to: parameters.get('to') ?? time?.to ?? 'now',
    refresh: parameters.get('refresh') ?? refresh,
    chosen: new Map(names.map((name) => [name.slice('var-'.length), parameters.getAll(name)])),
  };
}

export function writeAddress({ from, to, refresh, chosen }: Address): void {
  const parameters = new URLSearchParams({ from, to, refresh });
  for (const [name, values] of chosen) for (const value of values) parameters.append(`var-${name}`, value);
  history.replaceState(null, '', `${location.pathname}?${parameters.toString()}`);
}
