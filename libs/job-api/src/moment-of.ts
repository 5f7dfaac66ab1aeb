/** Milliseconds since the epoch. Undefined if the timestamp is absent or invalid. */
export function momentOf(time: string | undefined): number | undefined {
  const moment = Date.parse(time ?? '');
  return Number.isNaN(moment) ? undefined : moment;
}

/** In whole seconds, as Kubernetes writes times. */
export function timestamp(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
