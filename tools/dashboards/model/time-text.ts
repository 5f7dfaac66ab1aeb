/** Times for axes and tooltips: 24 hours, with a resolution that fits the range. */
import type { TimeRange } from './time-range.ts';

const DAY_MS = 86_400_000;
const FINE_MS = 360_000;

const two = (number: number) => String(number).padStart(2, '0');

export function timeText(ms: number, { fromMs, toMs }: TimeRange): string {
  const date = new Date(ms);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (toMs - fromMs <= FINE_MS) return `${time}:${two(date.getSeconds())}`;
  return toMs - fromMs > DAY_MS ? `${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}` : time;
}

/** With seconds. */
export function momentText(ms: number): string {
  const date = new Date(ms);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}
