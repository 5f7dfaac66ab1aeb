/** Offsets of time zones, from the database of Node.js. */

const MINUTE_MS = 60_000;

/** A span of time in which a zone's offset from UTC does not change. The end is excluded. */
export interface OffsetPeriod {
  readonly offsetMs: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** Whether the database has the zone. Offsets such as `+02:00` are none. */
export function isTimeZone(zone: string): boolean {
  if (/^[+-]/.test(zone)) return false;
  try {
    return formatOf(zone) !== undefined;
  } catch {
    return false;
  }
}

export function offsetAt(zone: string, atMs: number): number {
  if (zone === 'UTC') return 0;
  const parts = formatOf(zone).formatToParts(atMs);
  const valueOf = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  const wallMs = Date.UTC(valueOf('year'), valueOf('month') - 1, valueOf('day'), valueOf('hour'), valueOf('minute'));
  return wallMs - Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
}

/** The periods between two full minutes, in order. At most one change of the offset is found. */
export function offsetPeriods(zone: string, startMs: number, endMs: number): OffsetPeriod[] {
  const [first, last] = [offsetAt(zone, startMs), offsetAt(zone, endMs)];
  if (first === last) return [{ offsetMs: first, startMs, endMs }];
  let [before, after] = [startMs, endMs];
  while (after - before > MINUTE_MS) {
    const middle = before + Math.floor((after - before) / MINUTE_MS / 2) * MINUTE_MS;
    if (offsetAt(zone, middle) === first) before = middle;
    else after = middle;
  }
  return [
    { offsetMs: first, startMs, endMs: after },
    { offsetMs: last, startMs: after, endMs },
  ];
}

/** Creating a format takes longer than all else here. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Throws for an unknown zone. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(zone);
  if (known !== undefined) return known;
  const numeric = 'numeric';
  const fields = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...fields });
  FORMATS.set(zone, format);
  return format;
}
