/** The time since `time` in at most two units: `45s`, `12m`, `3h20m`, `2d`. `-` if unknown. */
export function age(time: string | undefined, nowMs: number): string {
  const thenMs = Date.parse(time ?? '');
  return Number.isNaN(thenMs) ? '-' : duration(nowMs - thenMs);
}

export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return minutes < 10 ? joined(minutes, 'm', seconds % 60, 's') : `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return hours < 10 ? joined(hours, 'h', minutes % 60, 'm') : `${hours}h`;
  return `${Math.floor(hours / 24)}d`;
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
