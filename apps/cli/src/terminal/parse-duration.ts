/** Parses a duration as Go and kubectl do: `90s`, `10m`, `1h30m`; a bare number means seconds. Returns milliseconds. */
import { InvalidArgumentError } from 'commander';

const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };

/** For commander. */
export function parseDuration(text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^(\d+[hms])+$/.test(text)) throw new InvalidArgumentError('Expected a duration such as 90s, 10m or 1h30m.');
  return [...text.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, count, unit = 's']) => sum + Number(count) * (UNITS_MS[unit] ?? 0),
    0,
  );
}
