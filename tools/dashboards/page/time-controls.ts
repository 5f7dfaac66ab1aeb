/** Controls of the time range and the refresh interval. */
import { momentText } from '../model/time-text.ts';
import type { Address } from './address.ts';
import { element, select } from './element.ts';

const RANGES = [
  ['now-5m', 'Last 5 minutes'],
  ['now-15m', 'Last 15 minutes'],
  ['now-30m', 'Last 30 minutes'],
  ['now-1h', 'Last hour'],
  ['now-3h', 'Last 3 hours'],
  ['now-6h', 'Last 6 hours'],
  ['now-12h', 'Last 12 hours'],
  ['now-1d', 'Last day'],
  ['now-2d', 'Last 2 days'],
  ['now-7d', 'Last 7 days'],
] as const;

const REFRESHES = ['', '5s', '10s', '30s', '1m', '5m'];

export function timeControls(
  { from, to, refresh }: Address,
  change: (change: Partial<Address>) => void,
  again: () => void,
): HTMLElement {
  const known = RANGES.map(([value, text]) => ({ value, text }));
  const isKnown = to === 'now' && RANGES.some(([value]) => value === from);
  const own = isKnown ? [] : [{ value: from, text: `${endText(from)} – ${endText(to)}` }];
  const range = select({ name: 'range', 'aria-label': 'Time range' }, [...own, ...known], from, (value) =>
    change({ from: value, to: 'now' }),
  );
  const refreshes = (REFRESHES.includes(refresh) ? REFRESHES : [...REFRESHES, refresh]).map((value) => ({
    value,
    text: value === '' ? 'No refresh' : `Every ${value}`,
  }));
  const every = select({ name: 'refresh', 'aria-label': 'Refresh' }, refreshes, refresh, (value) =>
    change({ refresh: value }),
  );
  const button = element('button', { type: 'button', title: 'Refresh now', 'aria-label': 'Refresh now' }, '↻');
  button.addEventListener('click', again);
  return element('div', { class: 'time-controls' }, range, every, button);
}

function endText(text: string): string {
  return /^\d+$/.test(text) ? momentText(Number(text)) : text;
}
