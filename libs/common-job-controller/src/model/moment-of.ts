/** Milliseconds since the epoch. Undefined if the timestamp is absent or invalid. */
export function momentOf(time: string | undefined): number | undefined {
  const moment = Date.parse(time ?? '');
  return Number.isNaN(moment) ? undefined : moment;
}
