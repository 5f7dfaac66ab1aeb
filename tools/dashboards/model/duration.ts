/** Durations in the format of Prometheus and Grafana: `30s`, `5m`, `1h30m`, `500ms`. */
const UNITS_MS: readonly (readonly [unit: string, ms: number])[] = [
  ['w', 604_800_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

/** Milliseconds; undefined for invalid text. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:ms|[smhdw]))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+)(ms|[smhdw])/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (new Map(UNITS_MS).get(unit ?? '') ?? 0), 0);
}

/** A duration of PromQL in the largest unit that divides it. */
export function formatDuration(ms: number): string {
  const rounded = Math.max(1, Math.round(ms));
  const [unit, size] = UNITS_MS.find(([, each]) => rounded % each === 0) ?? ['ms', 1];
  return `${rounded / size}${unit}`;
}
