/** The moment that a timestamp names, in milliseconds since the epoch; undefined when there is none or it is no time. */
export function momentOf(time: string | undefined): number | undefined {
  const moment = Date.parse(time ?? '');
  return Number.isNaN(moment) ? undefined : moment;
}
